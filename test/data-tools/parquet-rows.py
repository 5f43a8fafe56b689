# What pyarrow finds in a Parquet file, as JSON: its columns with their types, and each row with texts that say a value exactly.
import base64, json, struct, sys
import pyarrow as pa
import pyarrow.parquet as pq


def text(value, kind):
    if value is None:
        return None
    if pa.types.is_floating(kind):
        return struct.pack('>d', value).hex()
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    return str(value)


table = pq.read_table(sys.argv[1])
columns = []
for column in table.columns:
    kind = column.type
    values = column.cast(pa.int64()) if pa.types.is_timestamp(kind) else column
    columns.append([text(value, kind) for value in values.to_pylist()])
schema = [[field.name, str(field.type)] for field in table.schema]
print(json.dumps({'schema': schema, 'rows': list(zip(*columns))}))
