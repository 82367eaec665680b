-- The campaigns, boards and workflows that an event concerns: a user who may not see one of them may not see the event. Null if unknown, as
-- for events of earlier versions until the job below has examined them, and for those whose data does not tell. Only admins see these.
alter table events add column scopes text[] collate "C";

-- The webhooks that were enabled for an event when it was emitted. Null in entries of earlier versions: all that are enabled now.
alter table event_queue add column webhooks text[] collate "C";

-- Fills the scopes of existing events; a new installation has none. The subquery names a column because a cluster refuses it otherwise.
do $$ begin
  if exists (select id from events) then
    insert into jobs (id, queue, name, account, payload, created, due)
    values ('0jb000000000040', 'housekeeping', 'events.fill-scopes', '', '{}', now(), now());
  end if;
end $$;
