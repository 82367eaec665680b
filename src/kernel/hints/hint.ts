/** The kinds of things whose changes browsers hear of. */
export const hintKinds = [
  'post',
  'campaign',
  'event',
  'upload',
  'media',
  'mediaFolder',
  'approval',
  'profile',
  'board',
  'topic',
  'story',
  'advocate',
  'conversation',
  'streamTab',
  'stream',
  'team',
  'user',
  'account',
  'setting',
  'dashboard',
] as const
export type HintKind = (typeof hintKinds)[number]

/** Tells that something changed, and never what: whoever may see it reads it again. */
export interface Hint {
  readonly kind: HintKind
  /** Nothing where many of the kind changed at once. */
  readonly id: string | null
  /** What it belongs to: the campaign of a post, the board of a story, the content of an approval. */
  readonly parent: string | null
  /** Whose teams see it: a campaign or a board. A user where nobody else does, nothing where everybody of the account does. */
  readonly scope: string | null
}

/** What is set once for all: workflows, tags, domains, conversion tags, integrations. Which of them it is need not be told. */
export const settingChanged: Hint = { kind: 'setting', id: null, parent: null, scope: null }
