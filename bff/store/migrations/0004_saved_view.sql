-- Names that people gave to the filters of a page (docs/decisions/0050). The search string is data of the console, not of the runtime.
create table bff.saved_view (
  view_id uuid primary key,
  -- the owner
  iss text not null,
  sub text not null,
  owner_name text not null,
  page text not null,
  name text not null,
  search text not null,
  is_shared boolean not null,
  updated_at timestamptz not null default clock_timestamp()
);
create index saved_view_of_person on bff.saved_view (iss, sub);
create index saved_view_shared on bff.saved_view (page) where is_shared;
