export const roles = ['admin', 'publisher', 'contributor', 'read'] as const
export type Role = (typeof roles)[number]

/** Role of a caller: that of their user, or advocate, whose user has none. */
export const callerRoles = [...roles, 'advocate'] as const
export type CallerRole = (typeof callerRoles)[number]

/** Roles by ability. An endpoint names the ability it needs; docs/permissions.md is generated from both. */
export const abilities = {
  /** Be signed in: own sessions and password. */
  enter: callerRoles,
  /** Share the content of one's boards. */
  share: callerRoles,
  /** Read everything visible to the user's teams. */
  read: ['admin', 'publisher', 'contributor', 'read'],
  /** Create and change content, and one's own settings. */
  contribute: ['admin', 'publisher', 'contributor'],
  /** Approve content for publishing. */
  approve: ['admin', 'publisher'],
  /** Users, teams, domains, webhooks, integrations: the account itself. */
  administer: ['admin'],
} as const satisfies Record<string, readonly CallerRole[]>

export type Ability = keyof typeof abilities

/** Each ability as shown to users. */
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
