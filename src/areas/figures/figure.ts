/** What figures are kept of. A post on one profile is named by both. */
export type FigureOf =
  | ('account' | 'campaign' | 'message' | 'post' | 'profile-post' | 'link')
  /** What belongs to boards. An advocate is somebody on one board, and is named by both. */
  | ('story' | 'share' | 'advocate' | 'board')

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
  impressions: { daily: true },
  /** How often others passed on what was posted, at the network. */
  reshares: { daily: true },
  /** How often advocates shared something. */
  shares: { daily: true },
  /** How many messages a campaign has. */
  messages: { daily: false },
  /** How many people of an account are on boards. */
  advocates: { daily: false },
} as const

export type FigureName = keyof typeof catalogue
export type Figures = { readonly [name in FigureName]: number }

export const isDaily = (name: FigureName) => catalogue[name].daily

export const profilePost = (postId: string, credentialId: string) => (postId === '' ? '' : `${postId} ${credentialId}`)

export const advocateOn = (boardId: string, userId: string) => `${boardId} ${userId}`

/** Where nothing happened yet. */
export const noFigures = Object.fromEntries(Object.keys(catalogue).map((name) => [name, 0])) as Figures
