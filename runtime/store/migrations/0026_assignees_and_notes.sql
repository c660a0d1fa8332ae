-- The person who works on the operation; both null if nobody does.
alter table runtime.operation add column assignee_id text, add column assignee_name text;
create index operation_assignee on runtime.operation (assignee_id, created_at desc, operation_id desc)
  where assignee_id is not null;

create table runtime.operation_note (
  operation_id uuid not null references runtime.operation,
  -- from 1, without gaps
  number int not null,
  author_id text not null,
  author_name text not null,
  at timestamptz not null default clock_timestamp(),
  text text not null,
  primary key (operation_id, number)
);
