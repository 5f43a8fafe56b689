// Files of the user's: the browser saves one, or has some chosen.

/** Has the browser save a file; without a name it is the answer's. */
export function saveAs(url: string, name: string): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
}

/** Resolves to none if the user chooses none. */
export function chooseFiles(
  kind: Partial<Pick<HTMLInputElement, 'accept' | 'multiple'>>,
): Promise<readonly File[]> {
  const input = Object.assign(document.createElement('input'), { ...kind, type: 'file' });
  return new Promise(resolve => {
    input.onchange = () => resolve([...(input.files ?? [])]);
    input.oncancel = () => resolve([]);
    input.click();
  });
}
