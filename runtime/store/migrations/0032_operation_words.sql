-- replaces: 1b36fcc246a6e9718f8255ade04bc2510348a0189630273edc0901ec16e9ce7a
-- The words of operations for the search: the message of the failure, reasons and notes. Failures of earlier runs are left out:
-- they are masked when they are read, and a search must not find what is masked. They are in a separate table, because
-- the row of an operation changes several times in its life and each change would cost entries in the index. Triggers keep
-- the table, also for what a replica of the previous release writes.

-- Punctuation separates words, and each Chinese or Japanese character is a word, because nothing separates them.
create function runtime.spaced(text text) returns text
  language sql immutable strict parallel safe set search_path = ''
  return btrim(regexp_replace(
    regexp_replace(lower(text), '[\u0001-\u002f\u003a-\u0060\u007b-\u00bf\u2000-\u206f\u3000-\u303f\uff00-\uff0f\uff1a-\uff20]+', ' ', 'g'),
    '([\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff])', ' \1 ', 'g'));

create function runtime.words(text text) returns tsvector
  language sql immutable strict parallel safe set search_path = ''
  return to_tsvector('pg_catalog.simple'::regconfig, runtime.spaced(left(text, 100000)));

-- Finds texts with all words of the search. The parts of a word, such as INC-4711, follow each other; from three characters
-- on, the last part may be the beginning of a longer one. Null if the search has no words.
create function runtime.words_query(search text) returns tsquery
  language sql immutable strict parallel safe set search_path = ''
  return (
    select to_tsquery('pg_catalog.simple'::regconfig, string_agg(
      '(' || regexp_replace(parts, ' +', ' <-> ', 'g') || case when parts ~ '[^ ]{3}$' then ':*' else '' end || ')', ' & '))
    from (select runtime.spaced(word) as parts from regexp_split_to_table(search, '\s+') as word) as split
    where parts <> '');

create table runtime.operation_text (
  -- a replica of the previous release removes operations without knowing this table
  operation_id uuid primary key references runtime.operation on delete cascade,
  -- of the operation
  created_at timestamptz not null,
  words tsvector not null
);

create function runtime.words_of(of runtime.operation) returns tsvector
  language sql stable parallel safe set search_path = ''
  return runtime.words(concat_ws(e'\n', of.reason, of.failure ->> 'message', of.failure -> 'stopped' ->> 'reason',
    (select string_agg(reason, e'\n' order by run)
      from runtime.operation_retry where operation_retry.operation_id = of.operation_id),
    (select string_agg(text, e'\n' order by number)
      from runtime.operation_note where operation_note.operation_id = of.operation_id)));

create function runtime.store_words() returns trigger
  language plpgsql set search_path = '' as $$
begin
  insert into runtime.operation_text
    select operation_id, created_at, runtime.words_of(operation)
    from runtime.operation where operation_id = new.operation_id
  on conflict (operation_id) do update set words = excluded.words;
  return null;
end $$;
create trigger operation_words_of_reason after insert on runtime.operation
  for each row when (new.reason is not null) execute function runtime.store_words();
create trigger operation_words_of_failure after update of failure on runtime.operation
  for each row when (new.failure::text is distinct from old.failure::text) execute function runtime.store_words();
create trigger operation_words_of_retry after insert on runtime.operation_retry
  for each row execute function runtime.store_words();
create trigger operation_words_of_note after insert on runtime.operation_note
  for each row execute function runtime.store_words();

-- 0038 fills it with the operations that are there already.

-- frequent words are read in the order of the list until the page is full, rare ones from the index
create index operation_text_newest on runtime.operation_text (created_at desc, operation_id desc);
create index operation_text_words on runtime.operation_text using gin (words) with (fastupdate = off);

-- At most so many of the operations with these words, in no order; always from the index, because the planner takes rare
-- words for frequent ones. Of many matches the index returns a part, which is enough to know that there are many.
create function runtime.find_words(query tsquery, most integer) returns setof uuid
  language sql stable set enable_seqscan = off set gin_fuzzy_search_limit = 20000
  as 'select operation_id from runtime.operation_text where words @@ query limit most';
