import type { ChangeNotification } from '#kernel/changes/change-notification.ts'
import { changeKinds } from '#kernel/changes/change-notification.ts'
import { idKinds, type ReferenceKind } from '#kernel/ids.ts'
import { quotas } from '#kernel/quotas/quotas.ts'

export const accountIds = idKinds({
  account: '001',
  user: '00A',
  savedView: '0sv',
  team: '025',
  apiKey: 'key',
  session: '0ss',
  auditEntry: '0dd',
})

/** Entities that teams are assigned to; the areas that own them depend on this one. */
export const scopeIds = idKinds({ campaign: '002', workflow: 'cwf', board: 'brd' })

/** The keys of drafts are chosen by their authors. */
export const draftKey: ReferenceKind = { name: 'draft' }

export const accountQuotas = quotas({
  users: { standard: 5_000, things: 'users', remedy: 'Delete users who have left' },
  apiKeys: { standard: 2_000, things: 'API keys', remedy: 'Revoke keys that nobody uses' },
  savedViews: { standard: 20_000, things: 'saved views', remedy: 'Delete views that nobody uses' },
  teams: { standard: 2_000, things: 'teams', remedy: 'Delete teams that nobody needs' },
  drafts: { standard: 20_000, things: 'drafts of what people write', remedy: 'Delete drafts that nobody needs' },
})

export const accountChanges = changeKinds('team', 'user', 'account', 'setting')

/** Account settings changed: workflows, tags, domains, conversion tags or integrations. */
export const settingChanged: ChangeNotification = { kind: accountChanges.setting, id: null, parent: null, scope: null }
