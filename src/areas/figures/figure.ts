/** What figures are kept of. A post on one profile is named by both. */
export type FigureOf = 'account' | 'campaign' | 'message' | 'post' | 'profile-post' | 'link'

/** Every number that follows from facts, and whether it is kept by day as well. A new one is a line here. */
const catalogue = {
  clicks: { daily: true },
  boardClicks: { daily: true },
  childClicks: { daily: true },
  converts: { daily: true },
  boardConverts: { daily: true },
  childConverts: { daily: true },
  comments: { daily: true },
  newComments: { daily: false },
  likes: { daily: true },
  /** How many messages a campaign has. */
  messages: { daily: false },
  /** How many people of an account are on boards. */
  advocates: { daily: false },
} as const

export type FigureName = keyof typeof catalogue
export type Figures = { readonly [name in FigureName]: number }

export const isDaily = (name: FigureName) => catalogue[name].daily

export const profilePost = (postId: string, credentialId: string) => (postId === '' ? '' : `${postId} ${credentialId}`)

/** Where nothing happened yet. */
export const noFigures = Object.fromEntries(Object.keys(catalogue).map((name) => [name, 0])) as Figures
