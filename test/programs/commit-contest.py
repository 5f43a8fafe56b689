# Commits to one branch of an Icechunk repository from eight threads, and prints what became of them as JSON; icechunk.test.ts says what that must be.
import json
import os
import threading

import icechunk
import zarr

WRITERS = 8
ROUNDS = 20
REBASED = 5
STORAGE = dict(
    account=os.environ["ACCOUNT"],
    container="ice",
    prefix="repo",
    access_key=os.environ["KEY"],
    config={"azure_storage_endpoint": os.environ["BLOB_ENDPOINT"], "allow_http": "true"},
)


def opened():
    return icechunk.Repository.open(icechunk.azure_storage(**STORAGE))


def in_threads(work):
    threads = [threading.Thread(target=work, args=(n,)) for n in range(WRITERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def put(session, at, value):
    zarr.open_array(session.store, path="numbers")[at] = value


def history():
    return len(list(opened().ancestry(branch="main")))


made = icechunk.Repository.create(icechunk.azure_storage(**STORAGE)).writable_session("main")
root = zarr.open_group(made.store)
root.create_array("numbers", shape=(WRITERS * (1 + REBASED),), chunks=(1,), dtype="i4", fill_value=0)
made.commit("made")

barrier = threading.Barrier(WRITERS)
winners, losers = [0] * ROUNDS, [0] * ROUNDS
lock = threading.Lock()


def contest(n):
    repo = opened()
    for at in range(ROUNDS):
        session = repo.writable_session("main")
        put(session, n, at + 1)
        barrier.wait()
        try:
            session.commit(f"round {at}")
            result = winners
        except icechunk.ConflictError:
            result = losers
        with lock:
            result[at] += 1
        barrier.wait()


def rebase(n):
    repo = opened()
    for at in range(REBASED):
        session = repo.writable_session("main")
        put(session, WRITERS * (1 + at) + n, 1)
        session.commit(f"rebased {at}", rebase_with=icechunk.ConflictDetector(), rebase_tries=1_000)


told = {}
in_threads(contest)
told["winners"], told["losers"], told["contested"] = winners, losers, history()
in_threads(rebase)
numbers = zarr.open_array(opened().readonly_session("main").store, path="numbers")
told["rebased"] = int(numbers[WRITERS:].sum())
told["history"] = history()
print(json.dumps(told))
