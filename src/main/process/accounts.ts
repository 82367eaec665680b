import { ownerQuery } from '#kernel/database/owner.ts'

/** Whether the installation has a single account. */
export async function hasOneAccount(url: string): Promise<boolean> {
  return (await ownerQuery(url, 'select id from accounts limit 2')).length === 1
}

/** All accounts, oldest first. */
export const listAccounts = (url: string) =>
  ownerQuery<{ id: string; name: string; created: Date }>(
    url,
    'select id, name, created from accounts order by created, id',
  )
