// Where the data is unless a command is told: below the directory that it is started in.

export const DATA_DEFAULT = 'shelfmark-data';
