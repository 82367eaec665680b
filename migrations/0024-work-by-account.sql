-- What waits to be done lies with its account: jobs, lanes and bundles of clicks are known by the account first, so that they can be
-- distributed like everything else an account has. Work of the installation itself has the account ''.
--
-- Whose work is due is found by an index over all accounts, `…_due`, what of an account is taken next by one that leads with it. Only
-- looks over all accounts say `fence >= 0`, which is always so: nobody who asks for one account's work is led through everybody's by
-- statistics that are older than the work.
alter table jobs drop constraint jobs_pkey;
alter table jobs add primary key (account, id);
drop index jobs_key;
create unique index jobs_key on jobs (account, name, key) where key is not null and state = 'waiting';
drop index jobs_due;
create index jobs_due on jobs (due) include (account, queue) where state = 'waiting' and fence >= 0;
drop index jobs_of_owner;
drop index jobs_by_state;
create index jobs_by_state on jobs (state, queue, due) where state <> 'waiting';
create index jobs_of_account on jobs (account, queue, priority, due, id) where state = 'waiting';

alter table profile_lanes drop constraint profile_lanes_pkey;
alter table profile_lanes add primary key (account, credential);
drop index profile_lanes_due;
create index profile_lanes_due on profile_lanes (due) include (account) where worker is null and due is not null and fence >= 0;

alter table webhook_lanes drop constraint webhook_lanes_pkey;
alter table webhook_lanes add primary key (account, webhook);
drop index webhook_lanes_due;
create index webhook_lanes_due on webhook_lanes (due) include (account, pace) where worker is null and due is not null and fence >= 0;
create index webhook_lanes_of_account on webhook_lanes (account, pace, due, webhook) where worker is null and due is not null;

alter table click_bundles drop constraint click_bundles_pkey;
alter table click_bundles add primary key (account, number);
