create table media_folders (
  account_id text collate "C" not null references accounts (id),
  id text collate "C" not null,
  created timestamptz not null,
  modified timestamptz not null,
  created_by text collate "C" not null,
  name text not null,
  -- None at the top.
  folder_id text collate "C",
  primary key (account_id, id),
  foreign key (account_id, folder_id) references media_folders (account_id, id)
);
create index media_folders_by_name on media_folders (account_id, folder_id, lower(name), id);
create index media_folders_by_created on media_folders (account_id, folder_id, created, id);

-- The files of an account by their content; the same content is kept once.
create table stored_files (
  account_id text collate "C" not null references accounts (id),
  -- SHA-256, in hex.
  digest text collate "C" not null,
  bytes bigint not null,
  -- How many assets it is the content of; at none it is removed.
  uses integer not null,
  removing boolean not null default false,
  primary key (account_id, digest)
);

create table media (
  account_id text collate "C" not null references accounts (id),
  id text collate "C" not null,
  created timestamptz not null,
  modified timestamptz not null,
  created_by text collate "C" not null,
  modified_by text collate "C" not null,
  status text not null default 'valid',
  type text not null check (type in ('Image', 'Video', 'ImageUrl', 'PDF')),
  name text not null,
  description text not null default '',
  mime_type text not null,
  size bigint not null,
  folder_id text collate "C",
  digest text collate "C" not null,
  -- What nobody can guess of the address it is served at.
  token text collate "C" not null,
  -- Where an ImageUrl was taken from.
  source text not null default '',
  width integer,
  height integer,
  duration_ms integer,
  frames_per_second double precision,
  video_codec text,
  audio_codec text,
  pages integer,
  frames integer,
  primary key (account_id, id),
  foreign key (account_id, folder_id) references media_folders (account_id, id),
  foreign key (account_id, digest) references stored_files (account_id, digest)
);
create index media_by_created on media (account_id, created, id);
create index media_by_name on media (account_id, lower(name), id);
create index media_by_folder on media (account_id, folder_id, created, id);
create index media_by_digest on media (account_id, digest);

-- What an asset is needed for; while it is, it cannot be deleted.
create table media_holds (
  account_id text collate "C" not null,
  media_id text collate "C" not null,
  holder text collate "C" not null,
  -- For people: post "Summer sale", story "Our people".
  what text not null,
  primary key (account_id, media_id, holder),
  foreign key (account_id, media_id) references media (account_id, id)
);
create index media_holds_by_holder on media_holds (account_id, holder);

create table uploads (
  account_id text collate "C" not null references accounts (id),
  id text collate "C" not null,
  created timestamptz not null,
  modified timestamptz not null,
  created_by text collate "C" not null,
  status text not null default 'pending' check (status in ('pending', 'failed', 'complete')),
  name text not null,
  mime_type text not null,
  total_size bigint not null,
  downloaded bigint not null default 0,
  -- Empty when a browser sends the bytes itself.
  source text not null,
  last_error text,
  attempts integer not null default 0,
  media_id text collate "C",
  folder_id text collate "C",
  -- What counts against the account's day.
  reserved bigint not null,
  -- How the source tells that it is still the same file.
  etag text,
  last_modified text,
  accepts_ranges boolean not null default true,
  primary key (account_id, id)
);
create index uploads_by_created on uploads (account_id, created, id);
create index uploads_by_status on uploads (account_id, status, created, id);
create index uploads_by_source on uploads (account_id, source, created, id);
