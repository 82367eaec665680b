-- Dashboards made from templates belong to the first admin of their account, like those of new accounts.
update dashboards d set created_by = a.id
from (
  select distinct on (account_id) account_id, id from users
  where role = 'admin' and status <> 'deleted'
  order by account_id, created, id
) a
where a.account_id = d.account_id and d.type = 'template' and d.created_by = '';
