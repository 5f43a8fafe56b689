// Writes the rows of Java that classic-vectors.ts has: by the classic SDK itself, com.microsoft.azure:azure-storage 8.6.6, to the tables of a connection string, under the key of 32 bytes 0, 1, … 31 of
// com.microsoft.azure:azure-keyvault-cryptography 1.2.6. It reads each row back by the SDK, then as it stands, and prints it as JSON. No suite runs it: content keys are random, so that the rows are kept.
//
//   mvn dependency:copy-dependencies -DoutputDirectory=lib      in a folder whose pom.xml names both
//   shelfmark serve --in-memory                                  and its connection string
//   java -cp 'lib/*' ClassicRows.java 'DefaultEndpointsProtocol=http;…'

import com.microsoft.azure.keyvault.cryptography.SymmetricKey;
import com.microsoft.azure.storage.CloudStorageAccount;
import com.microsoft.azure.storage.table.CloudTable;
import com.microsoft.azure.storage.table.DynamicTableEntity;
import com.microsoft.azure.storage.table.EdmType;
import com.microsoft.azure.storage.table.EntityProperty;
import com.microsoft.azure.storage.table.TableEncryptionPolicy;
import com.microsoft.azure.storage.table.TableOperation;
import com.microsoft.azure.storage.table.TableRequestOptions;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

public class ClassicRows {
  static final byte[] KEY = new byte[32];

  static {
    for (int at = 0; at < KEY.length; at++) KEY[at] = (byte) at;
  }

  public static void main(String[] arguments) throws Exception {
    CloudTable table =
        CloudStorageAccount.parse(arguments[0]).createCloudTableClient().getTableReference("ClassicRows");
    table.createIfNotExists();
    TableRequestOptions options = new TableRequestOptions();
    options.setEncryptionPolicy(new TableEncryptionPolicy(new SymmetricKey("local:key1", KEY), null));
    options.setEncryptionResolver((partitionKey, rowKey, name) -> !name.equals("plain"));
    write(table, options, "Sales", "0001", Map.of("name", "Ann Jones", "note", "größer 😀", "empty", ""));
    write(table, options, "Sales", "0002", Map.of("name", "Bob", "last", "Smith"));
    write(table, options, "a", "b", Map.of("text", "xxxxxxxxxxxxxxxx"));
    write(table, options, "", "", Map.of("text", "keys may be empty"));
    write(table, options, "größe", "😀", Map.of("_x", "é", "naïve", "names, [in] \"brackets\""));
    write(table, options, "Sales", "0003", Map.of());
  }

  static void write(
      CloudTable table, TableRequestOptions options, String partitionKey, String rowKey, Map<String, String> texts)
      throws Exception {
    HashMap<String, EntityProperty> properties = new HashMap<>();
    properties.put("plain", new EntityProperty(7));
    for (Map.Entry<String, String> text : texts.entrySet())
      properties.put(text.getKey(), new EntityProperty(text.getValue()));
    DynamicTableEntity row = new DynamicTableEntity(partitionKey, rowKey, properties);
    table.execute(TableOperation.insertOrReplace(row), options, null);
    DynamicTableEntity read = get(table, options, partitionKey, rowKey);
    for (Map.Entry<String, String> text : texts.entrySet())
      if (!read.getProperties().get(text.getKey()).getValueAsString().equals(text.getValue()))
        throw new AssertionError(text.getKey());
    System.out.println(json(get(table, new TableRequestOptions(), partitionKey, rowKey), texts));
  }

  static DynamicTableEntity get(
      CloudTable table, TableRequestOptions options, String partitionKey, String rowKey) throws Exception {
    TableOperation retrieve = TableOperation.retrieve(partitionKey, rowKey, DynamicTableEntity.class);
    return table.execute(retrieve, options, null).getResultAsType();
  }

  static String json(DynamicTableEntity row, Map<String, String> texts) {
    TreeMap<String, String> sealed = new TreeMap<>();
    for (String name : texts.keySet()) {
      EntityProperty property = row.getProperties().get(name);
      if (property.getEdmType() != EdmType.BINARY) throw new AssertionError(name);
      sealed.put(name, Base64.getEncoder().encodeToString(property.getValueAsByteArray()));
    }
    TreeMap<String, String> fields = new TreeMap<>();
    fields.put("metadata", row.getProperties().get("_ClientEncryptionMetadata1").getValueAsString());
    fields.put(
        "names",
        Base64.getEncoder()
            .encodeToString(row.getProperties().get("_ClientEncryptionMetadata2").getValueAsByteArray()));
    fields.put("partitionKey", row.getPartitionKey());
    fields.put("rowKey", row.getRowKey());
    String own = object(fields);
    return own.substring(0, own.length() - 1) + ",\"sealed\":" + object(sealed) + ",\"clear\":" + object(texts) + "}";
  }

  static String object(Map<String, String> values) {
    StringBuilder text = new StringBuilder("{");
    for (Map.Entry<String, String> each : values.entrySet())
      text.append(text.length() > 1 ? "," : "").append(quoted(each.getKey())).append(":").append(quoted(each.getValue()));
    return text.append("}").toString();
  }

  static String quoted(String text) {
    return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
  }
}
