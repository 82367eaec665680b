-- Tags of campaigns and messages.
create table tags (
  account_id text collate "C" not null references accounts (id),
  id text collate "C" not null,
  created timestamptz not null,
  modified timestamptz not null,
  created_by text collate "C" not null,
  tag text not null,
  last_used_date timestamptz,
  primary key (account_id, id)
);
create unique index tags_by_tag on tags (account_id, lower(tag));
create index tags_by_created on tags (account_id, created, id);
create index tags_by_last_used on tags (account_id, last_used_date, id);

create table campaigns (
  account_id text collate "C" not null references accounts (id),
  id text collate "C" not null,
  created timestamptz not null,
  modified timestamptz not null,
  created_by text collate "C" not null,
  modified_by text collate "C" not null,
  name text not null,
  status text not null default 'active' check (status in ('active', 'complete', 'paused', 'archived')),
  url text not null default '',
  color text not null,
  short_url text not null default '',
  start_date timestamptz,
  end_date timestamptz,
  last_conversion_date timestamptz,
  last_comment_found timestamptz,
  send_summary integer not null default 0,
  sfdc_campaign_id text not null default '',
  sfdc_campaign_name text not null default '',
  sfdc_campaign_option text not null default '',
  utm text not null default '',
  -- Kept on every write; a test counts anew.
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
  -- A deleted campaign stays for what was sent from it.
  deleted timestamptz,
  primary key (account_id, id)
);
create index campaigns_by_created on campaigns (account_id, created, id) where deleted is null;
create index campaigns_by_name on campaigns (account_id, lower(name), id) where deleted is null;
create index campaigns_by_status on campaigns (account_id, lower(status), id) where deleted is null;

create table messages (
  account_id text collate "C" not null references accounts (id),
  id text collate "C" not null,
  created timestamptz not null,
  modified timestamptz not null,
  created_by text collate "C" not null,
  modified_by text collate "C" not null,
  campaign_id text collate "C" not null,
  status text not null default 'default',
  network text collate "C" not null
    check (network in ('Facebook', 'Twitter', 'LinkedIn', 'YouTube', 'Instagram', 'TikTok')),
  type text not null check (type in ('status-update', 'link-attachment', 'media-attachment')),
  subject text not null default '',
  message text not null,
  image_url text not null default '',
  description text not null default '',
  link_title text not null default '',
  link_url text not null default '',
  clicks integer not null default 0,
  child_clicks integer not null default 0,
  board_clicks integer not null default 0,
  converts integer not null default 0,
  child_converts integer not null default 0,
  board_converts integer not null default 0,
  children_count integer not null default 0,
  is_board_message boolean not null default false,
  -- A deleted message stays for what was sent from it.
  deleted timestamptz,
  primary key (account_id, id),
  foreign key (account_id, campaign_id) references campaigns (account_id, id)
);
create index messages_by_campaign on messages (account_id, campaign_id, created, id) where deleted is null;

-- In the order they are shown in.
create table message_media (
  account_id text collate "C" not null,
  message_id text collate "C" not null,
  position integer not null,
  media_id text collate "C" not null,
  primary key (account_id, message_id, position),
  foreign key (account_id, message_id) references messages (account_id, id)
);
create index message_media_by_media on message_media (account_id, media_id);

-- Tags of campaigns and of messages, by the id of either.
create table tagged (
  account_id text collate "C" not null,
  entity_id text collate "C" not null,
  tag_id text collate "C" not null,
  primary key (account_id, entity_id, tag_id),
  foreign key (account_id, tag_id) references tags (account_id, id) on delete cascade
);
create index tagged_by_tag on tagged (account_id, tag_id, entity_id);

create table custom_events (
  account_id text collate "C" not null references accounts (id),
  id text collate "C" not null,
  created timestamptz not null,
  modified timestamptz not null,
  created_by text collate "C" not null,
  title text not null,
  description text not null default '',
  start_date_time timestamptz not null,
  end_date_time timestamptz not null,
  primary key (account_id, id)
);
create index custom_events_by_created on custom_events (account_id, created, id);
create index custom_events_by_modified on custom_events (account_id, modified, id);
create index custom_events_by_start on custom_events (account_id, start_date_time, id);

create table custom_event_campaigns (
  account_id text collate "C" not null,
  event_id text collate "C" not null,
  campaign_id text collate "C" not null,
  primary key (account_id, event_id, campaign_id),
  foreign key (account_id, event_id) references custom_events (account_id, id) on delete cascade,
  foreign key (account_id, campaign_id) references campaigns (account_id, id)
);
create index custom_event_campaigns_by_campaign on custom_event_campaigns (account_id, campaign_id, event_id);
