-- What an item sets, as its plan said when the batch was made, without sensitive values. Null for earlier batches.
alter table runtime.batch_item add column shown_values json;
