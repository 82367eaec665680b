-- When each network last verified our webhook address, and last delivered something with a valid signature. Apps are shared by all accounts, so this belongs to none.
create table network_challenges (
  network text collate "C" primary key,
  challenged timestamptz,
  delivered timestamptz
);
