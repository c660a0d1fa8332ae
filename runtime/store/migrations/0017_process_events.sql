-- What the platform itself did that can change how an operation ends. Few rows: whoever adds one removes old ones.
create table runtime.process_event (
  process_event_id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  kind text not null
);
create index process_event_at on runtime.process_event (at desc);
