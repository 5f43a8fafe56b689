// The default data directory, below the current directory.

export const DATA_DEFAULT = 'shelfmark-data';
