-- As before, but the parts of a value are read as one array: each row of jsonb_path_query moves all those after it, so that 500,000
-- numbers took longer than a statement may.
create or replace function runtime.value_words(value jsonb) returns tsvector
  language sql immutable strict parallel safe set search_path = ''
  return case when value -> 'isSensitive' is null then runtime.words((
    select string_agg(part, e'\n')
    from jsonb_array_elements_text(
      jsonb_path_query_array(value, 'strict $.value.** ? (@.type() == "string" || @.type() == "number")', '{}', true)) as part)) end;
