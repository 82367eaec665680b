export const roles = ['admin', 'publisher', 'contributor', 'read'] as const
export type Role = (typeof roles)[number]

/** As what somebody calls: with the role of their user, or as an advocate, whose user has none. */
export const callerRoles = [...roles, 'advocate'] as const
export type CallerRole = (typeof callerRoles)[number]

/** Who may do what. An endpoint names the ability it needs; docs/permissions.md is written from both. */
export const abilities = {
  /** Be signed in: one's own sessions and password. */
  enter: callerRoles,
  /** Share what the boards offer that one is on. */
  share: callerRoles,
  /** See what the user's teams may see. */
  read: ['admin', 'publisher', 'contributor', 'read'],
  /** Make and change content, and settings of one's own. */
  contribute: ['admin', 'publisher', 'contributor'],
  /** Say that content may be published. */
  approve: ['admin', 'publisher'],
  /** Users, teams, domains, webhooks, integrations: the account itself. */
  administer: ['admin'],
} as const satisfies Record<string, readonly CallerRole[]>

export type Ability = keyof typeof abilities

/** What each lets somebody do, as people are told. */
export const abilityWords = {
  enter: 'sign in',
  share: 'share what boards offer',
  read: 'see what their teams may see',
  contribute: 'make and change campaigns, messages, posts and answers',
  approve: 'publish and approve',
  administer: 'manage users, teams, profiles, domains, webhooks and integrations',
} as const satisfies Record<Ability, string>

export const may = (role: CallerRole, ability: Ability): boolean =>
  (abilities[ability] as readonly CallerRole[]).includes(role)
