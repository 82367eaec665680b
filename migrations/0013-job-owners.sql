-- Work is claimed owner by owner: a backlog of one account never stands before another's. What belongs to the installation
-- itself has the empty name. The index leads from one owner to the next without touching what lies between.
update jobs set account = '' where account is null;
alter table jobs alter column account set default '', alter column account set not null;
create index jobs_of_owner on jobs (queue, account, priority, due, id) where state = 'waiting';

-- The same for profiles that have something to publish: one account's many never stand before another's one.
create index profile_lanes_of_account on profile_lanes (account, due, credential) where worker is null and due is not null;
