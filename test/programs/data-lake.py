# Writes and reads a Delta table and files through adlfs, and prints what it found as JSON; data-lake.test.ts says what that must be.
import json
import os
import threading

import adlfs
import pyarrow
from deltalake import DeltaTable, write_deltalake

OPTIONS = {
    "account_name": os.environ["ACCOUNT"],
    "account_key": os.environ["KEY"],
    "azure_storage_endpoint": os.environ["BLOB_ENDPOINT"],
    "allow_http": "true",
}
PLACE = "az://lake/table"
MEBIBYTE = 1024 * 1024

told = {}
files = adlfs.AzureBlobFileSystem(
    connection_string=os.environ["CONNECTION_STRING"], skip_instance_cache=True
)
files.mkdir("lake")


def table(version=None):
    return DeltaTable(PLACE, version=version, storage_options=OPTIONS)


def count(version=None):
    return table(version).to_pyarrow_table().num_rows


def append(keys, part):
    rows = pyarrow.table({"k": keys, "part": [part] * len(keys)})
    write_deltalake(PLACE, rows, mode="append", partition_by=["part"], storage_options=OPTIONS)


# Every commit is a put that must find no blob of its name.
for at in range(10):
    append(list(range(at * 100, at * 100 + 100)), str(at % 3))
told["appended"] = [table().version(), count()]
table().delete("k < 50")
told["deleted"] = count()
table().optimize.compact()
told["compacted"] = count()
table().create_checkpoint()
table().vacuum(retention_hours=0, enforce_retention_duration=False, dry_run=True)
told["rewritten"] = count()
told["asOf"] = count(2)

# Writers at once: each append is tried again behind the others, and none is lost.
threads = [
    threading.Thread(
        target=lambda n: [append([n * 1_000_000 + at], "w") for at in range(5)], args=(n,)
    )
    for n in range(4)
]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
told["concurrent"] = count()

# Two deletes of the same rows, planned on the same version: one commits, the other is told.
first, second = table(), table()
first.delete("k >= 1000000")
try:
    second.delete("k >= 1000000")
    told["conflicting"] = "both"
except Exception:
    told["conflicting"] = "one of them"
append([1], "w")
told["found"] = sorted(path.rsplit("/", 1)[1] for path in files.ls("lake/table"))

# Blocks, ranges, copies.
files.mkdir("files")
large = "files/x y+z/large.bin"
with files.open(large, "wb", blocksize=4 * MEBIBYTE) as out:
    for at in range(30):
        out.write(bytes([at]) * MEBIBYTE)
told["range"] = list(files.cat_file(large, start=5 * MEBIBYTE - 1, end=5 * MEBIBYTE + 1))
files.cp_file(large, "files/copy.bin")
told["sizes"] = [files.size(large), files.info("files/copy.bin")["size"]]
files.mv("files/copy.bin", "files/moved.bin")
told["moved"] = sorted(files.ls("files"))
files.rm("files/x y+z", recursive=True)
told["removed"] = files.ls("files")

print(json.dumps(told))
