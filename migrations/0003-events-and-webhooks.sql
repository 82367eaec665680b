-- What happened, written in the transaction of the change and kept for thirty days.
create table events (
  account_id text collate "C" not null references accounts (id),
  id text collate "C" not null,
  created timestamptz not null,
  type text collate "C" not null,
  -- A JSON array, as text: it is sent byte for byte as it was written.
  data text not null,
  primary key (account_id, id)
);

-- Events nobody has looked at yet. Coordination between processes, like jobs: it belongs to the installation.
create table event_queue (
  account text collate "C" not null,
  id text collate "C" not null,
  primary key (account, id)
);

create table webhooks (
  account_id text collate "C" not null references accounts (id),
  id text collate "C" not null,
  created timestamptz not null,
  modified timestamptz not null,
  created_by text collate "C" not null,
  name text not null,
  description text not null,
  event text collate "C" not null,
  url text not null,
  is_enabled boolean not null,
  is_hidden boolean not null,
  -- Encrypted. The one before stays valid beside it for a day after a change.
  secret text not null,
  previous_secret text,
  previous_until timestamptz,
  -- The epoch when it never ran, so that never sorts before everything.
  last_execution_date timestamptz not null default 'epoch',
  -- Since when every call failed; none while the last one succeeded.
  failing_since timestamptz,
  disabled_reason text not null default '',
  primary key (account_id, id)
);
create index webhooks_by_name on webhooks (account_id, lower(name), id);
create index webhooks_by_event on webhooks (account_id, event, id);

-- The same event for the same webhook is the same payload, however often it is made or sent.
create function chorus_payload_id(event_id text, webhook_id text) returns text language sql immutable parallel safe
  return '0WB' || substr(translate(encode(sha256((event_id || webhook_id)::bytea), 'base64'), '+/=', 'xyz'), 1, 12);

-- What is still to be delivered, and what was given up. A success leaves this table and stands in the log.
create table webhook_deliveries (
  account_id text collate "C" not null,
  id text collate "C" not null,
  webhook_id text collate "C" not null,
  event_id text collate "C" not null,
  attempts integer not null default 0,
  -- None once it was given up.
  due timestamptz,
  last_error text not null default '',
  primary key (account_id, id)
);
create index webhook_deliveries_due on webhook_deliveries (account_id, webhook_id, due, id);

-- One row per webhook that ever had something to deliver: whoever holds it sends its deliveries, nobody else does.
create table webhook_lanes (
  webhook text collate "C" primary key,
  account text collate "C" not null,
  -- When there is something to send; none when there is nothing.
  due timestamptz,
  -- How long its last call took: slow ones may not use the places of fast ones.
  pace text not null default 'new' check (pace in ('new', 'fast', 'slow')),
  -- Grows whenever deliveries are added: whoever saw a smaller number may have missed some.
  wakes bigint not null default 0,
  worker text collate "C",
  -- Grows with every claim: whoever held the lane before can no longer write.
  fence bigint not null default 0
);
create index webhook_lanes_due on webhook_lanes (pace, due, webhook) where worker is null and due is not null;
create index webhook_lanes_of_worker on webhook_lanes (worker) where worker is not null;

-- Every call that was made, kept for thirty days.
create table webhook_log (
  account_id text collate "C" not null,
  id text collate "C" not null,
  webhook_id text collate "C" not null,
  webhook_payload_id text collate "C" not null,
  event_id text collate "C" not null,
  created timestamptz not null,
  attempt integer not null,
  succeeded boolean not null,
  -- 0 when no answer came; the error says why.
  response_code integer not null,
  -- In seconds.
  execution_time double precision not null,
  error text not null,
  -- Whether a payload has arrived is asked more often than for one entry by its id, and every index is paid for at every call.
  primary key (account_id, webhook_payload_id, id)
);
create index webhook_log_by_webhook on webhook_log (account_id, webhook_id, created, id);
