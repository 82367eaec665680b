-- What is counted of a campaign stands beside it: counting must not wait for somebody who changes the campaign, and pausing one
-- holds its row until the posts that are on their way have arrived.
create table campaign_counters (
  account_id text collate "C" not null,
  campaign_id text collate "C" not null,
  clicks integer not null default 0,
  child_clicks integer not null default 0,
  board_clicks integer not null default 0,
  converts integer not null default 0,
  child_converts integer not null default 0,
  board_converts integer not null default 0,
  comments integer not null default 0,
  new_comments integer not null default 0,
  likes integer not null default 0,
  total_messages integer not null default 0,
  total_posts integer not null default 0,
  total_pending_posts integer not null default 0,
  total_draft_posts integer not null default 0,
  posts_sent integer not null default 0,
  primary key (account_id, campaign_id),
  foreign key (account_id, campaign_id) references campaigns (account_id, id)
);
insert into campaign_counters (account_id, campaign_id, total_messages) select account_id, id, total_messages from campaigns;
alter table campaigns
  drop column clicks, drop column child_clicks, drop column board_clicks, drop column converts, drop column child_converts,
  drop column board_converts, drop column comments, drop column new_comments, drop column likes, drop column total_messages,
  drop column total_posts, drop column total_pending_posts, drop column total_draft_posts, drop column posts_sent;

-- A message in approval cannot be scheduled.
alter table messages add column approve_status text not null default 'Approved'
  check (approve_status in ('Approved', 'Pending', 'Rejected'));

create table posts (
  account_id text collate "C" not null references accounts (id),
  id text collate "C" not null,
  created timestamptz not null,
  modified timestamptz not null,
  created_by text collate "C" not null,
  modified_by text collate "C" not null,
  status text collate "C" not null
    check (status in ('draft', 'inqueue-draft', 'pending', 'inqueue', 'complete', 'incomplete', 'error')),
  approve_status text not null check (approve_status in ('Approved', 'Pending', 'Rejected')),
  source text collate "C" not null check (source in ('UI', 'API', 'Autoposter', 'Bookmarklet', 'Board', 'Embedded')),
  content_source text not null default 'User',
  queued boolean not null,
  campaign_id text collate "C" not null,
  board_id text collate "C" not null default '',
  message_id text collate "C" not null,
  message_child_id text collate "C" not null default '',
  network text collate "C" not null,
  start_date_time timestamptz not null,
  credential_ids text[] not null,
  targeting_preset_id text collate "C",
  groups text not null default '',
  groups_count integer not null default 0,
  target_geo text not null default '',
  update_status integer not null default 0,
  flag text not null default 'discussion',
  promotion text not null default 'organic' check (promotion in ('promoted', 'organic', 'unknown')),
  utm text not null default '',
  clicks integer not null default 0,
  converts integer not null default 0,
  comments integer not null default 0,
  new_comments integer not null default 0,
  likes integer not null default 0,
  -- When webhooks were told that it is out; they are told once, also when what failed is sent again.
  sent timestamptz,
  primary key (account_id, id),
  foreign key (account_id, campaign_id) references campaigns (account_id, id),
  foreign key (account_id, message_id) references messages (account_id, id),
  -- Nothing that was not approved is ever scheduled or sent.
  constraint approved_before_scheduled check (approve_status = 'Approved' or status in ('draft', 'inqueue-draft'))
);
create index posts_by_created on posts (account_id, created, id);
create index posts_by_modified on posts (account_id, modified, id);
create index posts_by_start on posts (account_id, start_date_time, id);
create index posts_by_message on posts (account_id, message_id, created, id);
create index posts_by_campaign on posts (account_id, campaign_id, created, id);
create index posts_by_campaign_start on posts (account_id, campaign_id, start_date_time, id);
create index posts_by_campaign_modified on posts (account_id, campaign_id, modified, id);
create index posts_by_status on posts (account_id, status, created, id);
create index posts_by_status_start on posts (account_id, status, start_date_time, id);
create index posts_by_creator on posts (account_id, created_by, created, id);
create index posts_by_source on posts (account_id, source, created, id);

-- How many posts there are of each kind, so that a list need not count a million rows to tell its total.
create table post_counts (
  account_id text collate "C" not null,
  campaign_id text collate "C" not null,
  created_by text collate "C" not null,
  source text collate "C" not null,
  status text collate "C" not null,
  posts integer not null,
  primary key (account_id, campaign_id, created_by, source, status),
  foreign key (account_id, campaign_id) references campaigns (account_id, id)
);

-- What is said under a post once it is out.
create table first_comments (
  account_id text collate "C" not null,
  id text collate "C" not null,
  post_id text collate "C" not null,
  text text not null,
  media_id text collate "C",
  primary key (account_id, id),
  foreign key (account_id, post_id) references posts (account_id, id) on delete cascade
);
create unique index first_comments_by_post on first_comments (account_id, post_id);

-- One row for each profile a post goes to, and one for the comment under it there.
create table post_sends (
  account_id text collate "C" not null,
  post_id text collate "C" not null,
  credential_id text collate "C" not null,
  kind text collate "C" not null check (kind in ('post', 'comment')),
  campaign_id text collate "C" not null,
  network text collate "C" not null,
  -- idle: the post is a draft. waiting: scheduled. late: missed its time, a person decides. preparing: nothing is visible yet.
  -- sending: the one call that makes it visible may be out. unknown: it was, and its answer got lost. The rest is final.
  state text collate "C" not null
    check (state in ('idle', 'waiting', 'late', 'preparing', 'sending', 'unknown', 'sent', 'failed', 'unconfirmed')),
  -- When it was meant to go out.
  planned timestamptz not null,
  -- When the engine has to do something about it; none while it has not.
  due timestamptz,
  -- The place in the profile's queue that it took.
  slot timestamptz,
  attempts integer not null default 0,
  looks integer not null default 0,
  -- When the call that cannot be repeated was about to be made.
  intent timestamptz,
  progress jsonb,
  error text not null default '',
  -- That of the lane's holder who last took it: whoever held it before can no longer write.
  fence bigint not null default 0,
  remote_id text collate "C" not null default '',
  is_late boolean not null generated always as (state = 'late') stored,
  primary key (account_id, post_id, credential_id, kind),
  foreign key (account_id, post_id) references posts (account_id, id) on delete cascade
) with (fillfactor = 60);
-- No index looks at the state: on its way to a network a send changes it twice, and these changes stay within the row's page.
create index post_sends_due on post_sends (account_id, credential_id, due, post_id, kind) where due is not null;
create index post_sends_by_campaign on post_sends (account_id, campaign_id, due);
create index post_sends_late on post_sends (account_id, post_id) where is_late;
create unique index post_sends_slot on post_sends (account_id, credential_id, slot) where slot is not null;

-- Every profile has one lane: whoever holds it sends for that profile, and nobody else does.
create table profile_lanes (
  credential text collate "C" primary key,
  account text collate "C" not null,
  network text collate "C" not null,
  due timestamptz,
  -- The network told this profile to wait.
  not_before timestamptz,
  wakes bigint not null default 0,
  worker text collate "C",
  fence bigint not null default 0
);
create index profile_lanes_due on profile_lanes (due, credential) where worker is null and due is not null;
create index profile_lanes_of_worker on profile_lanes (worker) where worker is not null;

-- Networks that told the whole installation to wait.
create table network_holds (
  network text collate "C" primary key,
  until timestamptz not null
);

-- When some worker was last at work, and up to when nothing is sent by itself because none was for too long.
create table engine_state (
  singleton boolean primary key default true check (singleton),
  alive timestamptz not null,
  hold_before timestamptz not null
);

-- What became of a post on one profile.
create table postlogs (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created timestamptz not null,
  modified timestamptz not null,
  post_id text collate "C" not null,
  campaign_id text collate "C" not null,
  message_id text collate "C" not null,
  credential_id text collate "C" not null,
  network text collate "C" not null,
  status text collate "C" not null check (status in ('success', 'failed')),
  -- Nobody knows whether the network has it.
  is_unconfirmed boolean not null default false,
  remote_id text collate "C" not null default '',
  remote_url text not null default '',
  error text not null default '',
  link_ids text[] not null default '{}',
  published_date timestamptz,
  primary key (account_id, id),
  foreign key (account_id, post_id) references posts (account_id, id)
);
create unique index postlogs_by_post on postlogs (account_id, post_id, credential_id);
create unique index postlogs_by_remote on postlogs (account_id, credential_id, remote_id) where remote_id <> '';

-- When a profile's queue sends, in the time zone of whoever connected it.
create table queue_slots (
  account_id text collate "C" not null,
  credential_id text collate "C" not null,
  weekday integer not null check (weekday between 0 and 6),
  minutes integer not null check (minutes between 0 and 1439),
  primary key (account_id, credential_id, weekday, minutes),
  foreign key (account_id, credential_id) references credentials (account_id, id)
);

create table workflows (
  account_id text collate "C" not null references accounts (id),
  id text collate "C" not null,
  created timestamptz not null,
  modified timestamptz not null,
  created_by text collate "C" not null,
  name text not null,
  status text collate "C" not null default 'active' check (status in ('active', 'inactive')),
  primary key (account_id, id)
);
create index workflows_by_created on workflows (account_id, created, id);

create table workflow_steps (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created timestamptz not null,
  workflow_id text collate "C" not null,
  position integer not null,
  name text not null,
  must_be_approved_by_everyone boolean not null,
  -- A step that was taken out of its workflow stays for what went through it.
  removed timestamptz,
  primary key (account_id, id),
  foreign key (account_id, workflow_id) references workflows (account_id, id)
);
create unique index workflow_steps_by_position on workflow_steps (account_id, workflow_id, position) where removed is null;

create table workflow_approvers (
  account_id text collate "C" not null,
  step_id text collate "C" not null,
  user_id text collate "C" not null,
  primary key (account_id, step_id, user_id),
  foreign key (account_id, step_id) references workflow_steps (account_id, id) on delete cascade,
  foreign key (account_id, user_id) references users (account_id, id)
);
create index workflow_approvers_by_user on workflow_approvers (account_id, user_id);

create table workflow_items (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created timestamptz not null,
  modified timestamptz not null,
  created_by text collate "C" not null,
  status text collate "C" not null check (status in ('pending', 'approved', 'rejected', 'removed')),
  -- A post, a message or a story.
  entity_id text collate "C" not null,
  -- The campaign or board whose teams see it.
  scope_id text collate "C" not null,
  message_id text collate "C" not null default '',
  post_id text collate "C" not null default '',
  story_id text collate "C" not null default '',
  network text not null default '',
  workflow_id text collate "C" not null,
  step_id text collate "C" not null,
  -- How often approval began anew, because the content was changed; decisions count in their own round.
  round integer not null default 1,
  primary key (account_id, id),
  foreign key (account_id, workflow_id) references workflows (account_id, id),
  foreign key (account_id, step_id) references workflow_steps (account_id, id)
);
create unique index workflow_items_waiting on workflow_items (account_id, entity_id) where status = 'pending';
create index workflow_items_by_created on workflow_items (account_id, created, id) where status = 'pending';
create index workflow_items_by_workflow on workflow_items (account_id, workflow_id, created, id) where status = 'pending';
create index workflow_items_by_step on workflow_items (account_id, step_id, created, id) where status = 'pending';
create index workflow_items_by_entity on workflow_items (account_id, entity_id, created, id);

create table workflow_decisions (
  account_id text collate "C" not null,
  item_id text collate "C" not null,
  round integer not null,
  step_id text collate "C" not null,
  user_id text collate "C" not null,
  created timestamptz not null,
  is_approve boolean not null,
  note text not null default '',
  primary key (account_id, item_id, round, step_id, user_id),
  foreign key (account_id, item_id) references workflow_items (account_id, id)
);

create table workflow_notes (
  account_id text collate "C" not null references accounts (id),
  id text collate "C" not null,
  created timestamptz not null,
  modified timestamptz not null,
  user_id text collate "C" not null,
  status text not null default 'active',
  entity_id text collate "C" not null,
  text text not null,
  primary key (account_id, id)
);
create index workflow_notes_by_entity on workflow_notes (account_id, entity_id, created, id);
