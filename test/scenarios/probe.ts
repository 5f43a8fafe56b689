// probe
import { TableClient, AzureNamedKeyCredential } from '@azure/data-tables';
import azure from 'azure-storage';
import { serve } from 'shelfmark';
export const x = [TableClient, AzureNamedKeyCredential, azure.createTableService, serve];
