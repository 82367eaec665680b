-- Change notifications of committed transactions that have no number yet. A transaction only inserts here, so transactions of an account don't
-- wait for each other; readers move the rows to feed_entries and number them.
create table feed_waiting (
  account_id text collate "C" not null,
  -- Random; it becomes the mark of the entry.
  mark text collate "C" not null,
  created timestamptz not null,
  created_by text collate "C" not null,
  hints text not null,
  primary key (account_id, mark)
);
