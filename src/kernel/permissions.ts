export const roles = ['admin', 'publisher', 'contributor', 'read'] as const
export type Role = (typeof roles)[number]

/** Who may do what. An endpoint names the ability it needs; docs/permissions.md is written from both. */
export const abilities = {
  /** See what the user's teams may see. */
  read: ['admin', 'publisher', 'contributor', 'read'],
  /** Make and change content, and settings of one's own. */
  contribute: ['admin', 'publisher', 'contributor'],
  /** Say that content may be published. */
  approve: ['admin', 'publisher'],
  /** Users, teams, domains, webhooks, integrations: the account itself. */
  administer: ['admin'],
} as const satisfies Record<string, readonly Role[]>

export type Ability = keyof typeof abilities

export const may = (role: Role, ability: Ability): boolean => (abilities[ability] as readonly Role[]).includes(role)
