import { ownerQuery } from '#kernel/database/owner.ts'

/** Every account of the installation, oldest first. */
export const listAccounts = (url: string) =>
  ownerQuery<{ id: string; name: string; created: Date }>(
    url,
    'select id, name, created from accounts order by created, id',
  )
