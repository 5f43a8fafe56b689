// Rows as the classic SDKs encrypted them, with the key of 32 bytes 0, 1, … 31 and A256KW. Those of `java` were written by its SDK, azure-storage 8.6.6, to a running Shelfmark: testing/classic-rows/ClassicRows.java. Those of `python` were made by its
// library, azure-cosmosdb-table 1.0.6, and that of `java, as python reads it` by that library's functions in the order that it reads Java's rows in, without a library's name, as Java's first versions
// wrote it. None was made by the library of .NET: docs/gaps.md.

export interface ClassicVector {
  readonly library: string;
  readonly partitionKey: string;
  readonly rowKey: string;
  /** Base64 of the encrypted properties. */
  readonly sealed: Readonly<Record<string, string>>;
  readonly metadata: string;
  readonly names: string;
  readonly clear: Readonly<Record<string, string>>;
}

export const CLASSIC_VECTORS: readonly ClassicVector[] = [
  {
    library: 'python',
    partitionKey: 'Sales',
    rowKey: '0001',
    sealed: {
      name: 'r9O+zFYfVhm55Ll4Ac4z/Q==',
      note: 'p7VxT/ZlLYIxk2FQbye9jA==',
      empty: '7NPocqNNjHEOLi1uU87GgA==',
    },
    metadata:
      '{"WrappedContentKey": {"KeyId": "local:key1", "EncryptedKey": "e8KlQwCoKD3HMcJ0TTy8xtaA/fTbETUHAFbz+Y66EmQq3ntj9pw1HQ==", "Algorithm": "A256KW"}, "EncryptionAgent": {"Protocol": "1.0", "EncryptionAlgorithm": "AES_CBC_256"}, "ContentEncryptionIV": "J3HZ5N/89+Id/ZBWGNHA6g==", "KeyWrappingMetadata": {"EncryptionLibrary": "Python 1.4.2"}}',
    names: 'zEX6TTEkuSKrkm0UHWenIiGcaXWqo8obTrHrdXRuWqU=',
    clear: {
      name: 'Ann Jones',
      note: 'größer 😀',
      empty: '',
    },
  },
  {
    library: 'python',
    partitionKey: '',
    rowKey: '',
    sealed: {
      text: 'awHvfkoOSGFU8Wg/QldD0Ia6wnBwW0nP26JLPW2AtMY=',
    },
    metadata:
      '{"WrappedContentKey": {"KeyId": "local:key1", "EncryptedKey": "CMUdECQ4v5tBViTfNIQ0fkUR0UreV8jhpQnlC0gnsdosQiHDKF76ng==", "Algorithm": "A256KW"}, "EncryptionAgent": {"Protocol": "1.0", "EncryptionAlgorithm": "AES_CBC_256"}, "ContentEncryptionIV": "FJ0BkiNJrvQdePnmuBmY5Q==", "KeyWrappingMetadata": {"EncryptionLibrary": "Python 1.4.2"}}',
    names: 'M0yeVrXKvYMUbMwVOzgppA==',
    clear: {
      text: 'keys may be empty',
    },
  },
  {
    library: 'java, as python reads it',
    partitionKey: 'Sales',
    rowKey: '0003',
    sealed: {
      name: 'lQX/fXdDm5rahAjMfLzihw==',
    },
    metadata:
      '{"WrappedContentKey": {"KeyId": "local:key1", "EncryptedKey": "VfUYaC+0ZtHnSbx3NJUyzLztjwTQNNjYicwUuaYKRh37ZxXxU1wYhA==", "Algorithm": "A256KW"}, "EncryptionAgent": {"Protocol": "1.0", "EncryptionAlgorithm": "AES_CBC_256"}, "ContentEncryptionIV": "8xgLOjrIhUoKt9bYg6AQIA=="}',
    names: 'LrWmtJkTYZ/dC0c99ZM31A==',
    clear: {
      name: 'Eve',
    },
  },
  {
    library: 'java',
    partitionKey: 'Sales',
    rowKey: '0001',
    sealed: {
      note: 'i7E9t+QYpLwJgMNq2tHImg==',
      name: 'C83mM3OT5c8AfB5xiJ0G9A==',
      empty: '4qyC3SANW7A4o7G1dz/J6g==',
    },
    metadata:
      '{"WrappedContentKey":{"KeyId":"local:key1","EncryptedKey":"QqIodoE2+cR2EmV2o3Aextx+T+MjjDnDdJbpvjjgeFtqI4QQxFbAFw==","Algorithm":"A256KW"},"EncryptionAgent":{"Protocol":"1.0","EncryptionAlgorithm":"AES_CBC_256"},"ContentEncryptionIV":"424I7sA0a90kJxDXw5OStA==","KeyWrappingMetadata":{"EncryptionLibrary":"Java 8.6.6"}}',
    names: 'rMf/0n7mgluM3mI78IOBYdDiIdW/oSb4Nw0inlepXsI=',
    clear: { note: 'größer 😀', name: 'Ann Jones', empty: '' },
  },
  {
    library: 'java',
    partitionKey: 'Sales',
    rowKey: '0002',
    sealed: { last: 'm+oOEwD359Bt4BDDUDLLBQ==', name: 'd19SOo5e/dV1reFm0E779g==' },
    metadata:
      '{"WrappedContentKey":{"KeyId":"local:key1","EncryptedKey":"NBR/aJQ4vmyLwCidkL0+DoAMeEHvbpA6SKDKZ3yllroN/6LTju9JPg==","Algorithm":"A256KW"},"EncryptionAgent":{"Protocol":"1.0","EncryptionAlgorithm":"AES_CBC_256"},"ContentEncryptionIV":"CpBerH/pGIsYoRKCy46bew==","KeyWrappingMetadata":{"EncryptionLibrary":"Java 8.6.6"}}',
    names: 'zXaHTIO9btmBOOuCJ7K+2A==',
    clear: { last: 'Smith', name: 'Bob' },
  },
  {
    library: 'java',
    partitionKey: '',
    rowKey: '',
    sealed: { text: 'XEzQX2+e51S6muWWAESrwBA2DPsZ7HcO5PE/QQyDlf0=' },
    metadata:
      '{"WrappedContentKey":{"KeyId":"local:key1","EncryptedKey":"xIgF7HBqSFJD2IQQwNtSj0u9qH2QXYqNUER6Xoou320BZlB7BEhI3Q==","Algorithm":"A256KW"},"EncryptionAgent":{"Protocol":"1.0","EncryptionAlgorithm":"AES_CBC_256"},"ContentEncryptionIV":"IY/CyCP0AOdHMQrmq9haPw==","KeyWrappingMetadata":{"EncryptionLibrary":"Java 8.6.6"}}',
    names: 'qT4cJ2c3oMlZU87Li8iETQ==',
    clear: { text: 'keys may be empty' },
  },
  {
    library: 'java',
    partitionKey: 'größe',
    rowKey: '😀',
    sealed: { naïve: '41jR0KqLrU6XGSHIWHEXQJsOrQXneIkCtMlKeTvFvIg=', _x: 'wyutXhtfSV60AmhCZSYmIQ==' },
    metadata:
      '{"WrappedContentKey":{"KeyId":"local:key1","EncryptedKey":"1gc4Doul+vZ7MY27yj2jTbyBt2PHN0mQMd8EdtiXhJ4Vy9Q7h8ZDGA==","Algorithm":"A256KW"},"EncryptionAgent":{"Protocol":"1.0","EncryptionAlgorithm":"AES_CBC_256"},"ContentEncryptionIV":"lUKa+ohZwpMbJwKubEFZGg==","KeyWrappingMetadata":{"EncryptionLibrary":"Java 8.6.6"}}',
    names: 'hIDb/UPLLtBKekifQ/ErZw==',
    clear: { naïve: 'names, [in] "brackets"', _x: 'é' },
  },
  {
    library: 'java',
    partitionKey: 'Sales',
    rowKey: '0003',
    sealed: {},
    metadata:
      '{"WrappedContentKey":{"KeyId":"local:key1","EncryptedKey":"XBXQYof0EFo5akmJlED4Xsx7OjfWVLyVq6GgD2HM8oLLiu86pdjUJQ==","Algorithm":"A256KW"},"EncryptionAgent":{"Protocol":"1.0","EncryptionAlgorithm":"AES_CBC_256"},"ContentEncryptionIV":"lgm0PK4GqhIcMaIq9nQYqg==","KeyWrappingMetadata":{"EncryptionLibrary":"Java 8.6.6"}}',
    names: 'Sf2G4p3FirRRiH37vlkFyA==',
    clear: {},
  },
];
