-- The list of operations by the time they ended or failed. The index also serves retention: that of 0028 has the same order,
-- but not the failed operations. So an operation that succeeds still costs one entry.
create index operation_ended on runtime.operation (finished_at, operation_id) where finished_at is not null;
drop index runtime.operation_finished;
-- what is not well, which only few operations are
create index operation_unsettled_ended on runtime.operation (finished_at, operation_id)
  where state <> 'SUCCEEDED' and finished_at is not null;

-- Looking up a frequent word in the index reads all operations that have it, also if the other words are rare. So the index is
-- asked for the rare words only, and the texts that it finds are compared with the whole query; `||` keeps that from the index.
create function runtime.find_words(query tsquery, rare tsquery, most integer) returns setof uuid
  language sql stable set enable_seqscan = off
  as $$select operation_id from runtime.operation_text where words @@ rare and (words || '') @@ query limit most$$;
