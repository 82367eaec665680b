-- Work is claimed owner by owner: a backlog of one account never stands before another's. What belongs to the installation
-- itself has the empty name. The index leads from one owner to the next without touching what lies between.
update jobs set account = '' where account is null;
alter table jobs alter column account set default '', alter column account set not null;
create index jobs_of_owner on jobs (queue, account, priority, due, id) where state = 'waiting';
