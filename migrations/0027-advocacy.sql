-- Links that let advocates in who need no password.
alter table sign_in_links drop constraint sign_in_links_purpose_check;
alter table sign_in_links add constraint sign_in_links_purpose_check check (purpose in ('invitation', 'reset', 'entry', 'board'));

-- Boards: where advocates find what they may share.
create table boards (
  account_id text collate "C" not null references accounts (id),
  id text collate "C" not null,
  created timestamptz not null,
  modified timestamptz not null,
  created_by text collate "C" not null,
  modified_by text collate "C" not null,
  name text not null,
  status text not null default 'active' check (status in ('active', 'archived')),
  -- A board offers stories, or messages one by one as boards did before there were stories.
  kind text not null default 'stories' check (kind in ('stories', 'messages')),
  -- How many advocates it may have; nothing: as many as come.
  seats integer check (seats >= 0),
  -- How many it has; whoever adds or removes some holds the row.
  members integer not null default 0,
  default_expiration text not null default 'in_6_months',
  default_role text not null default 'contributor' check (default_role in ('contributor', 'manager')),
  color text not null default '#2F6F4E',
  icon_id text collate "C" not null default '',
  logo_id text collate "C" not null default '',
  logo_position text not null default 'center' check (logo_position in ('left', 'center', 'right')),
  allows_suggestions boolean not null default false,
  leaderboard_enabled boolean not null default true,
  leaderboard_period text not null default 'month' check (leaderboard_period in ('week', 'month', 'quarter', 'year', 'all')),
  notifications_enabled boolean not null default true,
  -- 0 is Sunday; nothing: every day.
  notifications_day integer check (notifications_day between 0 and 6),
  notifications_hour integer not null default 10 check (notifications_hour between 0 and 23),
  notifications_zone text not null default 'UTC',
  -- The next letter to the advocates is due then.
  digest_due timestamptz,
  post_address text not null default '',
  sign_up_enabled boolean not null default false,
  -- Of which domains people may sign up by themselves; none: of any.
  sign_up_domains text[] not null default '{}',
  slug text collate "C" not null,
  terms text not null default '',
  -- Whether an advocate needs a password, or signs in by links that are mailed.
  needs_password boolean not null default true,
  -- What is asked of advocates: [{id, name, options: [{id, name}]}].
  custom_fields jsonb not null default '[]',
  -- Minutes over which shares are spread that many plan for the same moment.
  share_window integer not null default 60 check (share_window between 0 and 1440),
  -- How often one story may be shared in a day, by network: {"LinkedIn": 50}; what is not named has no cap.
  daily_caps jsonb not null default '{}',
  primary key (account_id, id)
);
create index boards_by_created on boards (account_id, created, id);
create index boards_by_name on boards (account_id, lower(name), id);
create unique index boards_slug on boards (account_id, slug);

-- Whose a board is that somebody signs up to by its address, before the account is known.
create table board_slugs (
  slug text collate "C" primary key,
  account text collate "C" not null,
  board_id text collate "C" not null
);

-- Advocates: users, with a role in the account or without, who are on a board.
create table board_members (
  account_id text collate "C" not null,
  board_id text collate "C" not null,
  user_id text collate "C" not null,
  created timestamptz not null,
  invited_by text collate "C" not null,
  -- When the last invitation was sent, and when one was accepted.
  invited timestamptz not null,
  accepted timestamptz,
  role text not null check (role in ('contributor', 'manager')),
  -- The beginning of time for who was never seen.
  last_seen timestamptz not null default '1970-01-01 00:00:00+00',
  -- Which option of each custom field: {"<field>": "<option>"}.
  custom_values jsonb not null default '{}',
  wants_digest boolean not null default true,
  -- Topics made since then are offered at the next login.
  topics_seen timestamptz,
  primary key (account_id, board_id, user_id),
  foreign key (account_id, board_id) references boards (account_id, id) on delete cascade,
  foreign key (account_id, user_id) references users (account_id, id)
);
create index board_members_by_user on board_members (account_id, user_id, board_id);
create index board_members_by_created on board_members (account_id, board_id, created, user_id);
create index board_members_by_last_seen on board_members (account_id, board_id, last_seen, user_id);

create table topics (
  account_id text collate "C" not null,
  id text collate "C" not null,
  board_id text collate "C" not null,
  created timestamptz not null,
  modified timestamptz not null,
  created_by text collate "C" not null,
  name text not null,
  -- How many stories have it, and since when the newest; how many advocates chose it.
  used integer not null default 0,
  subscribers integer not null default 0,
  last_used timestamptz,
  primary key (account_id, id),
  foreign key (account_id, board_id) references boards (account_id, id) on delete cascade
);
create unique index topics_name on topics (account_id, board_id, lower(name));
create index topics_by_created on topics (account_id, created, id);
create index topics_by_name on topics (account_id, lower(name), id);
create index topics_of_board on topics (account_id, board_id, created, id);

create table topic_subscriptions (
  account_id text collate "C" not null,
  topic_id text collate "C" not null,
  user_id text collate "C" not null,
  board_id text collate "C" not null,
  created timestamptz not null,
  primary key (account_id, topic_id, user_id),
  foreign key (account_id, topic_id) references topics (account_id, id) on delete cascade,
  foreign key (account_id, board_id, user_id) references board_members (account_id, board_id, user_id) on delete cascade
);
create index topic_subscriptions_by_user on topic_subscriptions (account_id, user_id, board_id, topic_id);

create table stories (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created timestamptz not null,
  modified timestamptz not null,
  created_by text collate "C" not null,
  modified_by text collate "C" not null,
  board_id text collate "C" not null,
  campaign_id text collate "C" not null,
  publish_date timestamptz not null,
  expiration_date timestamptz not null,
  is_featured boolean not null default false,
  title text,
  description text not null default '',
  -- What a repost story shares again; empty for others.
  postlog_id text collate "C" not null default '',
  type text not null default 'text' check (type in ('text', 'post-attachment')),
  -- `active`: a repost story that is being prepared.
  status text not null check (status in ('draft', 'pending', 'rejected', 'approved', 'active')),
  image_url text,
  link_title text,
  link_url text,
  link_description text,
  link_content text,
  alt_texts jsonb,
  video_title text,
  video_preview text,
  video_subtitle text,
  preview_frame text,
  -- Where a story goes that is being prepared, once it is.
  workflow_id text collate "C",
  -- Whether its approvers said yes to it as it is.
  is_approved boolean not null default false,
  -- Where it stands, as it is counted: its status, and of what is approved whether it is out. A moment that has come may not be seen to yet.
  phase text not null check (phase in ('draft', 'pending', 'rejected', 'active', 'scheduled', 'published', 'expired')),
  -- When it comes to the next phase by itself.
  turns timestamptz,
  -- How often it was shared; for sorting. Whoever counts holds the row.
  share_count integer not null default 0,
  primary key (account_id, id),
  foreign key (account_id, board_id) references boards (account_id, id),
  foreign key (account_id, campaign_id) references campaigns (account_id, id)
);
-- Every order of the list: of all, of one board, in one phase.
create index stories_by_created on stories (account_id, created, id);
create index stories_by_publish_date on stories (account_id, publish_date, id);
create index stories_by_expiration_date on stories (account_id, expiration_date, id);
create index stories_by_share_count on stories (account_id, share_count, id);
create index stories_by_is_featured on stories (account_id, is_featured, id);
create index stories_of_board_by_created on stories (account_id, board_id, created, id);
create index stories_of_board_by_publish_date on stories (account_id, board_id, publish_date, id);
create index stories_of_board_by_expiration_date on stories (account_id, board_id, expiration_date, id);
create index stories_of_board_by_share_count on stories (account_id, board_id, share_count, id);
create index stories_of_board_by_is_featured on stories (account_id, board_id, is_featured, id);
create index stories_in_phase_by_created on stories (account_id, phase, created, id);
create index stories_in_phase_by_publish_date on stories (account_id, phase, publish_date, id);
create index stories_in_phase_by_expiration_date on stories (account_id, phase, expiration_date, id);
create index stories_in_phase_by_share_count on stories (account_id, phase, share_count, id);
create index stories_in_phase_by_is_featured on stories (account_id, phase, is_featured, id);
-- What only some have, in the usual order.
create index stories_by_creator on stories (account_id, created_by, publish_date, id);
create index stories_featured on stories (account_id, publish_date, id) where is_featured;
create index stories_reposts on stories (account_id, publish_date, id) where type = 'post-attachment';
create index stories_approved on stories (account_id, publish_date, id) where is_approved;
create index stories_turning on stories (account_id, turns, id) where turns is not null;

-- How many stories there are of each kind that lists are filtered by: nobody counts a hundred thousand of them to show a page.
create table story_counts (
  account_id text collate "C" not null,
  board_id text collate "C" not null,
  created_by text collate "C" not null,
  phase text not null,
  is_featured boolean not null,
  is_repost boolean not null,
  is_approved boolean not null,
  stories integer not null,
  primary key (account_id, board_id, created_by, phase, is_featured, is_repost, is_approved)
);

create table story_topics (
  account_id text collate "C" not null,
  story_id text collate "C" not null,
  topic_id text collate "C" not null,
  primary key (account_id, story_id, topic_id),
  foreign key (account_id, story_id) references stories (account_id, id) on delete cascade,
  foreign key (account_id, topic_id) references topics (account_id, id) on delete cascade
);
create index story_topics_by_topic on story_topics (account_id, topic_id, story_id);

create table story_media (
  account_id text collate "C" not null,
  story_id text collate "C" not null,
  position integer not null,
  media_id text collate "C" not null,
  primary key (account_id, story_id, position),
  foreign key (account_id, story_id) references stories (account_id, id) on delete cascade
);
create index story_media_by_media on story_media (account_id, media_id);

-- The variants that a story offers: messages, written by people or made of the story's own words.
create table story_messages (
  account_id text collate "C" not null,
  story_id text collate "C" not null,
  message_id text collate "C" not null,
  position integer not null,
  -- How many advocates were given it.
  given integer not null default 0,
  primary key (account_id, story_id, message_id),
  foreign key (account_id, story_id) references stories (account_id, id) on delete cascade,
  foreign key (account_id, message_id) references messages (account_id, id)
);
create index story_messages_by_message on story_messages (account_id, message_id);

-- Messages on a board of the older kind.
create table board_messages (
  account_id text collate "C" not null,
  board_id text collate "C" not null,
  message_id text collate "C" not null,
  created timestamptz not null,
  created_by text collate "C" not null,
  start_date timestamptz not null,
  expire_date timestamptz not null,
  important boolean not null default false,
  topic_ids text[] collate "C" not null default '{}',
  primary key (account_id, board_id, message_id),
  foreign key (account_id, board_id) references boards (account_id, id) on delete cascade,
  foreign key (account_id, message_id) references messages (account_id, id)
);
create index board_messages_by_message on board_messages (account_id, message_id);

-- Which variant an advocate was given for a network.
create table story_offers (
  account_id text collate "C" not null,
  story_id text collate "C" not null,
  user_id text collate "C" not null,
  network text not null,
  message_id text collate "C" not null,
  created timestamptz not null,
  primary key (account_id, story_id, user_id, network)
);

-- What an advocate shares on a profile of their own. It stays when the story is gone.
create table shares (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created timestamptz not null,
  modified timestamptz not null,
  user_id text collate "C" not null,
  board_id text collate "C" not null,
  -- Empty where it is a message of an older board.
  story_id text collate "C" not null,
  message_id text collate "C" not null,
  campaign_id text collate "C" not null,
  credential_id text collate "C" not null,
  network text not null,
  type text not null,
  message text not null,
  subject text not null default '',
  link_url text not null default '',
  link_title text not null default '',
  description text not null default '',
  image_url text not null default '',
  media_ids text[] collate "C" not null default '{}',
  -- What is shared again, of a repost story: the original's id at the network.
  repost_of text not null default '',
  start_date_time timestamptz not null,
  status text not null check (status in ('pending', 'complete', 'error')),
  is_unconfirmed boolean not null default false,
  remote_id text not null default '',
  remote_url text not null default '',
  error text not null default '',
  published_date timestamptz,
  primary key (account_id, id)
);
create index shares_of_member on shares (account_id, board_id, user_id, created, id);
create index shares_by_user on shares (account_id, user_id, created, id);
create index shares_of_story on shares (account_id, story_id, network, start_date_time);
create index shares_by_board on shares (account_id, board_id, created, id);
create unique index shares_by_remote on shares (account_id, credential_id, remote_id) where remote_id <> '';
-- One advocate shares a story once on a profile.
create unique index shares_once on shares (account_id, story_id, credential_id) where story_id <> '' and status <> 'error';
create index shares_by_credential on shares (account_id, credential_id, id) where status = 'pending';

-- Whose own a profile is, and those of the account among many of advocates.
create index credentials_of_owner on credentials (account_id, created_by, created, id);
create index credentials_of_account on credentials (account_id, board_only, created, id);

-- What else a click on a link counts for, by kind of figure: {"story": "0AS…"}. Links do not know what these are.
alter table links add column counts_for jsonb not null default '{}';

-- Who is where on the leaderboard of a board; computed when something was counted since.
create table board_ranks (
  account_id text collate "C" not null,
  board_id text collate "C" not null,
  user_id text collate "C" not null,
  rank integer not null,
  points bigint not null,
  shares bigint not null,
  clicks bigint not null,
  converts bigint not null,
  primary key (account_id, board_id, user_id),
  foreign key (account_id, board_id) references boards (account_id, id) on delete cascade
);
create index board_ranks_by_rank on board_ranks (account_id, board_id, rank, user_id);

-- How the ranks of a board were computed: for which days, and how much had been counted by then.
create table board_rankings (
  account_id text collate "C" not null,
  board_id text collate "C" not null,
  period text not null,
  since date not null,
  counted bigint not null,
  primary key (account_id, board_id),
  foreign key (account_id, board_id) references boards (account_id, id) on delete cascade
);

-- Letters that advocates got: one for each moment at which a board's is due.
create table digest_letters (
  account_id text collate "C" not null,
  board_id text collate "C" not null,
  user_id text collate "C" not null,
  moment timestamptz not null,
  primary key (account_id, board_id, moment, user_id),
  foreign key (account_id, board_id) references boards (account_id, id) on delete cascade
);
