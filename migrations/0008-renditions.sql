-- JPEGs made of pictures for networks that do not take them as they are; they go with their asset.
create table media_renditions (
  account_id text collate "C" not null,
  media_id text collate "C" not null,
  -- What the network asked for.
  max_bytes bigint not null,
  max_width integer not null,
  created timestamptz not null,
  -- Counts among the uses of the stored file.
  digest text collate "C" not null,
  size bigint not null,
  width integer not null,
  height integer not null,
  -- What nobody can guess of the address it is served at.
  token text collate "C" not null,
  primary key (account_id, media_id, max_bytes, max_width),
  foreign key (account_id, media_id) references media (account_id, id),
  foreign key (account_id, digest) references stored_files (account_id, digest)
);
create index media_renditions_by_digest on media_renditions (account_id, digest);
