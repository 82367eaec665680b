-- What waits to be done lies with its account: jobs, lanes and bundles of clicks are known by the account first, so that they can be
-- distributed like everything else an account has. Work of the installation itself has the account ''.
alter table jobs drop constraint jobs_pkey;
alter table jobs add primary key (account, id);
drop index jobs_key;
create unique index jobs_key on jobs (account, name, key) where key is not null and state = 'waiting';
-- Whose work is due, over all accounts; and what of one account is taken first.
drop index jobs_due;
create index jobs_due on jobs (due, account, queue) where state = 'waiting';
drop index jobs_of_owner;
create index jobs_of_owner on jobs (account, queue, priority, due, id) where state = 'waiting';

alter table profile_lanes drop constraint profile_lanes_pkey;
alter table profile_lanes add primary key (account, credential);
drop index profile_lanes_due;
create index profile_lanes_due on profile_lanes (due, account) where worker is null and due is not null;

alter table webhook_lanes drop constraint webhook_lanes_pkey;
alter table webhook_lanes add primary key (account, webhook);
drop index webhook_lanes_due;
create index webhook_lanes_due on webhook_lanes (pace, due, account, webhook) where worker is null and due is not null;

alter table click_bundles drop constraint click_bundles_pkey;
alter table click_bundles add primary key (account, number);
