-- What arrives from networks, and the people it comes from.

-- How each profile's arrivals are watched: asked for in turns, and told by the network where it does.
create table inbox_profiles (
  account_id text collate "C" not null,
  credential_id text collate "C" not null,
  network text not null,
  created timestamptz not null,
  -- When the network is asked next, and when it was asked last with success.
  next_poll timestamptz not null,
  polled timestamptz,
  -- How many polls failed in a row, and why the last one did.
  failures integer not null default 0,
  error text not null default '',
  -- What is told by push is asked for anew before then; nothing: the network does not forget, or cannot push.
  push_renew timestamptz,
  push_error text not null default '',
  primary key (account_id, credential_id),
  foreign key (account_id, credential_id) references credentials (account_id, id)
);
create index inbox_profiles_due on inbox_profiles (account_id, next_poll, credential_id);

-- Whose profile a push is about, before the account is known. One profile may be connected in several accounts.
create table push_addresses (
  network text not null,
  remote_id text collate "C" not null,
  account text collate "C" not null,
  credential_id text collate "C" not null,
  primary key (network, remote_id, account)
);

-- What was heard from a network, by whichever way, once each: it is written down before the network is answered, and put into the inbox afterwards.
create table inbox_arrivals (
  account_id text collate "C" not null,
  credential_id text collate "C" not null,
  dedupe_key text collate "C" not null,
  received timestamptz not null,
  state text not null check (state in ('new', 'waiting', 'done', 'refused')),
  -- The comment it answers, which the inbox does not know yet; it waits for that until `due`.
  waits_for text collate "C",
  due timestamptz,
  -- What was told; nothing once it was put into the inbox.
  activity jsonb,
  -- Why it was refused.
  reason text not null default '',
  primary key (account_id, credential_id, dedupe_key),
  foreign key (account_id, credential_id) references credentials (account_id, id)
);
create index inbox_arrivals_new on inbox_arrivals (account_id, credential_id, received, dedupe_key) where state = 'new';
create index inbox_arrivals_waiting on inbox_arrivals (account_id, credential_id, waits_for) where state = 'waiting';
create index inbox_arrivals_due on inbox_arrivals (account_id, due) where state = 'waiting';
create index inbox_arrivals_old on inbox_arrivals (account_id, received) where state in ('done', 'refused');

-- Items: a thread of messages, the comments under one comment, a mention with what was answered to it.
create table inbox_items (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created timestamptz not null,
  modified timestamptz not null,
  credential_id text collate "C" not null,
  network text not null,
  item_type text not null check (item_type in ('Conversation', 'Post', 'Mention', 'Reply')),
  origin text not null check (origin in ('external', 'owned')),
  status text not null default 'open' check (status in ('open', 'closed')),
  assignee_id text collate "C" not null default '',
  -- The thread's, the first comment's or the mention's id at the network, with what it is: one item for each.
  remote_key text collate "C" not null,
  url text not null default '',
  -- When it happened, and when the last thing from outside did.
  event_date timestamptz not null,
  last_activity timestamptz not null,
  -- Who began it: the network's id of the person, and what is shown of them.
  person_id text collate "C" not null,
  person_name text not null default '',
  person_username text not null default '',
  person_picture text not null default '',
  -- Under which post it stands: as the network calls it, and ours where we sent it.
  post_remote_id text collate "C" not null default '',
  post_url text not null default '',
  post_text text not null default '',
  post_media jsonb not null default '[]',
  postlog_id text collate "C",
  -- What began it, and of threads the last message: what is shown in lists and told to webhooks.
  text text not null default '',
  media jsonb not null default '[]',
  language text not null default '',
  entries integer not null default 0,
  -- Words of everything said in it, each with the account before it: one account's words are no other's.
  words tsvector not null default ''::tsvector,
  primary key (account_id, id),
  foreign key (account_id, credential_id) references credentials (account_id, id)
);
create unique index inbox_items_key on inbox_items (account_id, credential_id, remote_key);
create index inbox_items_by_activity on inbox_items (account_id, last_activity, id);
create index inbox_items_by_status on inbox_items (account_id, status, last_activity, id);
create index inbox_items_by_type on inbox_items (account_id, item_type, last_activity, id);
create index inbox_items_by_network on inbox_items (account_id, network, last_activity, id);
create index inbox_items_by_assignee on inbox_items (account_id, assignee_id, status, last_activity, id);
create index inbox_items_by_profile on inbox_items (account_id, credential_id, last_activity, id);
create index inbox_items_of_person on inbox_items (account_id, network, person_id, id);
create index inbox_items_of_postlog on inbox_items (account_id, postlog_id, id) where postlog_id is not null;
create index inbox_items_words on inbox_items using gin (words);

-- Items with these words, in no order, up to a number. Row security lets nobody search by an index of words, who is not the owner: what is
-- compared might be told before it is known whose it is. So the owner searches, for the account that asks and no other.
create function chorus_inbox_search(account text, question tsquery, most integer)
  returns table (item_id text, status text, item_type text, network text, assignee_id text, credential_id text, last_activity timestamptz)
  language plpgsql stable security definer set search_path = public set enable_seqscan = off set enable_indexscan = off
  as $$
begin
  if account is distinct from chorus_account() then
    return;
  end if;
  -- Planned for these words: how often they are said decides how they are found.
  return query execute
    'select id, status, item_type, network, assignee_id, credential_id, last_activity from inbox_items
     where account_id = $1 and words @@ $2 limit $3' using account, question, most;
end
$$;
revoke all on function chorus_inbox_search(text, tsquery, integer) from public;

-- How many items there are of each kind that lists are filtered by; whoever changes an item holds it.
create table inbox_item_counts (
  account_id text collate "C" not null,
  credential_id text collate "C" not null,
  network text not null,
  item_type text not null,
  status text not null,
  assignee_id text collate "C" not null,
  items integer not null,
  primary key (account_id, credential_id, network, item_type, status, assignee_id)
);

-- What was said and done in an item, by strangers and by us.
create table inbox_entries (
  account_id text collate "C" not null,
  id text collate "C" not null,
  item_id text collate "C" not null,
  type text not null check (type in ('message', 'comment', 'reply', 'like', 'share', 'note', 'assignment', 'status', 'tag', 'case')),
  -- When it happened, there or here.
  created timestamptz not null,
  -- Whose profile or user did it: ours, or a stranger.
  is_own boolean not null,
  created_by text collate "C" not null default '',
  credential_id text collate "C" not null,
  -- The network's id of it, and of the comment it answers; empty for what only we know.
  remote_id text collate "C" not null default '',
  parent_remote_id text collate "C" not null default '',
  person_id text collate "C" not null default '',
  person_name text not null default '',
  person_username text not null default '',
  person_picture text not null default '',
  content text not null default '',
  media jsonb not null default '[]',
  url text not null default '',
  language text not null default '',
  -- Of what we did: from which status to which, whose it became, which tags, which case, which reply and what became of it.
  details jsonb not null default '{}',
  reply_id text collate "C" not null default '',
  edited timestamptz,
  removed timestamptz,
  primary key (account_id, id),
  foreign key (account_id, item_id) references inbox_items (account_id, id) on delete cascade
);
create index inbox_entries_of_item on inbox_entries (account_id, item_id, created, id);
create unique index inbox_entries_by_remote on inbox_entries (account_id, credential_id, remote_id, type) where remote_id <> '';
-- What others said in public, the latest first.
create index inbox_entries_comments on inbox_entries (account_id, created, id) where type in ('comment', 'reply') and not is_own and removed is null;
create index inbox_entries_of_person on inbox_entries (account_id, person_id, id) where person_id <> '';
create index inbox_entries_of_reply on inbox_entries (account_id, reply_id) where reply_id <> '';

-- Answers to items: each is sent once.
create table inbox_replies (
  account_id text collate "C" not null,
  id text collate "C" not null,
  item_id text collate "C" not null,
  created timestamptz not null,
  created_by text collate "C" not null,
  credential_id text collate "C" not null,
  network text not null,
  kind text not null check (kind in ('message', 'comment')),
  text text not null,
  media_ids text[] not null default '{}',
  -- Whom or what it answers, at the network.
  post_remote_id text collate "C" not null default '',
  parent_remote_id text collate "C" not null default '',
  root_remote_id text collate "C" not null default '',
  person_id text collate "C" not null default '',
  thread_remote_id text collate "C" not null default '',
  last_inbound timestamptz,
  status text not null check (status in ('waiting', 'sent', 'failed', 'unconfirmed', 'withdrawn')),
  error text not null default '',
  remote_id text collate "C" not null default '',
  primary key (account_id, id),
  foreign key (account_id, item_id) references inbox_items (account_id, id) on delete cascade
);
create index inbox_replies_of_item on inbox_replies (account_id, item_id, created, id);
create index inbox_replies_by_remote on inbox_replies (account_id, credential_id, remote_id) where remote_id <> '';
create index inbox_replies_waiting on inbox_replies (account_id, credential_id, id) where status = 'waiting';

create table conversation_tags (
  account_id text collate "C" not null references accounts (id),
  id text collate "C" not null,
  created timestamptz not null,
  modified timestamptz not null,
  created_by text collate "C" not null,
  value text not null,
  primary key (account_id, id)
);
create unique index conversation_tags_value on conversation_tags (account_id, lower(value));
create index conversation_tags_by_created on conversation_tags (account_id, created, id);

create table inbox_item_tags (
  account_id text collate "C" not null,
  item_id text collate "C" not null,
  tag_id text collate "C" not null,
  created timestamptz not null,
  primary key (account_id, item_id, tag_id),
  foreign key (account_id, item_id) references inbox_items (account_id, id) on delete cascade,
  foreign key (account_id, tag_id) references conversation_tags (account_id, id) on delete cascade
);
create index inbox_item_tags_by_tag on inbox_item_tags (account_id, tag_id, item_id);

create table canned_responses (
  account_id text collate "C" not null references accounts (id),
  id text collate "C" not null,
  created timestamptz not null,
  modified timestamptz not null,
  created_by text collate "C" not null,
  name text not null,
  content text not null,
  visibility text not null check (visibility in ('shared', 'private')),
  primary key (account_id, id)
);
-- Names of what others keep to themselves are free: nobody learns by a refusal what others have.
create unique index canned_responses_shared_name on canned_responses (account_id, lower(name)) where visibility = 'shared';
create unique index canned_responses_private_name on canned_responses (account_id, created_by, lower(name)) where visibility = 'private';
create index canned_responses_by_created on canned_responses (account_id, created, id);
create index canned_responses_by_name on canned_responses (account_id, lower(name), id);

-- Views: filters that somebody keeps, for themselves or for all.
create table inbox_views (
  account_id text collate "C" not null references accounts (id),
  id text collate "C" not null,
  created timestamptz not null,
  modified timestamptz not null,
  created_by text collate "C" not null,
  name text not null,
  is_shared boolean not null default false,
  position integer not null default 0,
  filters jsonb not null default '{}',
  primary key (account_id, id)
);
create index inbox_views_by_creator on inbox_views (account_id, created_by, position, id);
create index inbox_views_shared on inbox_views (account_id, created, id) where is_shared;

-- What a user has seen: everything before a moment, and single items later.
create table inbox_readers (
  account_id text collate "C" not null,
  user_id text collate "C" not null,
  all_before timestamptz not null,
  primary key (account_id, user_id),
  foreign key (account_id, user_id) references users (account_id, id)
);
create table inbox_reads (
  account_id text collate "C" not null,
  user_id text collate "C" not null,
  item_id text collate "C" not null,
  -- The last activity that was seen.
  seen timestamptz not null,
  primary key (account_id, user_id, item_id),
  foreign key (account_id, item_id) references inbox_items (account_id, id) on delete cascade
);
create index inbox_reads_of_item on inbox_reads (account_id, item_id);

-- Integrations: systems of others that know leads and take cases.
create table integrations (
  account_id text collate "C" not null references accounts (id),
  id text collate "C" not null,
  created timestamptz not null,
  modified timestamptz not null,
  created_by text collate "C" not null,
  type text not null,
  version integer not null default 1,
  status text not null check (status in ('valid', 'invalid')),
  status_reason text not null default '',
  state text not null check (state in ('active', 'disabled')),
  cname_id text collate "C",
  -- What is no secret, and what is, sealed.
  settings_data jsonb not null default '{}',
  secret text,
  primary key (account_id, id)
);
create index integrations_by_created on integrations (account_id, created, id);
create index integrations_by_type on integrations (account_id, type, created, id);

-- Cases that were asked for, of an item in an integration: one each.
create table inbox_cases (
  account_id text collate "C" not null,
  item_id text collate "C" not null,
  integration_id text collate "C" not null,
  created timestamptz not null,
  modified timestamptz not null,
  created_by text collate "C" not null,
  case_owner text not null default '',
  contact_id text not null default '',
  description text not null default '',
  -- What the other system calls it; empty until it has it.
  remote_id text collate "C" not null default '',
  url text not null default '',
  status text not null check (status in ('waiting', 'saved', 'failed')),
  error text not null default '',
  -- Which version was asked for, and which the other system has.
  version integer not null default 1,
  saved_version integer not null default 0,
  primary key (account_id, item_id, integration_id),
  foreign key (account_id, item_id) references inbox_items (account_id, id) on delete cascade,
  foreign key (account_id, integration_id) references integrations (account_id, id) on delete cascade
);
create index inbox_cases_of_integration on inbox_cases (account_id, integration_id, item_id);

-- Leads: people who became known.
create table leads (
  account_id text collate "C" not null references accounts (id),
  id text collate "C" not null,
  parent_id text collate "C",
  created timestamptz not null,
  modified timestamptz not null,
  type text not null default 'person',
  -- In small letters; empty where it is not known.
  email text collate "C" not null default '',
  name text not null default '',
  first_name text not null default '',
  last_name text not null default '',
  photo text not null default '',
  phone text,
  is_tracked boolean not null default true,
  primary key (account_id, id)
);
create unique index leads_email on leads (account_id, email) where email <> '';
create index leads_by_created on leads (account_id, created, id);
create index leads_known_by_created on leads (account_id, created, id) where email <> '';

create table lead_profiles (
  account_id text collate "C" not null,
  lead_id text collate "C" not null,
  network text not null,
  remote_id text collate "C" not null,
  created timestamptz not null,
  url text not null default '',
  username text not null default '',
  primary key (account_id, network, remote_id),
  foreign key (account_id, lead_id) references leads (account_id, id) on delete cascade
);
create index lead_profiles_of_lead on lead_profiles (account_id, lead_id, network);

create table lead_remotes (
  account_id text collate "C" not null,
  lead_id text collate "C" not null,
  integration_id text collate "C" not null,
  remote_identifier text not null default '',
  linked_lead_id text collate "C" not null,
  primary key (account_id, integration_id, linked_lead_id),
  foreign key (account_id, lead_id) references leads (account_id, id) on delete cascade,
  foreign key (account_id, integration_id) references integrations (account_id, id) on delete cascade
);
create index lead_remotes_of_lead on lead_remotes (account_id, lead_id, integration_id);

create table lead_activities (
  account_id text collate "C" not null,
  id text collate "C" not null,
  lead_id text collate "C" not null,
  activity_date timestamptz not null,
  type text not null,
  network text not null default '',
  profile_id text collate "C" not null default '',
  postlog_id text collate "C",
  data jsonb not null default '{}',
  -- The same for the same happening: it is told once.
  source text collate "C" not null,
  primary key (account_id, id),
  foreign key (account_id, lead_id) references leads (account_id, id) on delete cascade
);
create unique index lead_activities_source on lead_activities (account_id, source);
create index lead_activities_of_lead on lead_activities (account_id, lead_id, activity_date, id);
create index lead_activities_by_date on lead_activities (account_id, activity_date, id);

-- What was counted for a person, found when they are forgotten.
create index conversions_by_lead on conversions (account_id, lead_id) where lead_id <> '';
create index conversions_by_email on conversions (account_id, email) where email <> '';
