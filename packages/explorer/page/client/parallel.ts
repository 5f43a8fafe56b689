/** Works on all items, so many at a time, in their order. */
export async function inParallel<Item>(
  items: readonly Item[],
  concurrent: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const left = items.values();
  const worker = async (): Promise<void> => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: concurrent }, worker));
}
