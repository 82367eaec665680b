type Language = 'en' | 'de' | 'fr' | 'es' | 'it' | 'pt' | 'nl' | 'ja'
type ItemType = 'Conversation' | 'Post' | 'Mention' | 'Reply'

/** What one of us said or did, or what somebody outside added: `us:`, `note:`, `they:`, or the name of another person. */
type Turn = readonly [who: 'us' | 'note' | 'they' | string, words: string]

export interface DemoItem {
  network: 'Facebook' | 'Instagram' | 'LinkedIn' | 'Twitter' | 'YouTube' | 'TikTok'
  type: ItemType
  language: Language
  person: string
  text: string
  later: readonly Turn[]
  tags: readonly number[]
  assignee: string
  isClosed: boolean
}

type More = Partial<Pick<DemoItem, 'later' | 'tags' | 'assignee' | 'isClosed'>>

const item =
  (network: DemoItem['network'], type: ItemType) =>
  (language: Language, person: string, text: string, more: More = {}): DemoItem => ({
    network,
    type,
    language,
    person,
    text,
    later: [],
    tags: [],
    assignee: '',
    isClosed: false,
    ...more,
  })

export const facebookMessage = item('Facebook', 'Conversation')
export const facebookComment = item('Facebook', 'Post')
export const facebookMention = item('Facebook', 'Mention')
export const instagramMessage = item('Instagram', 'Conversation')
export const instagramComment = item('Instagram', 'Post')
export const instagramMention = item('Instagram', 'Mention')
export const linkedInMessage = item('LinkedIn', 'Conversation')
export const linkedInComment = item('LinkedIn', 'Post')
export const linkedInMention = item('LinkedIn', 'Mention')
export const xMessage = item('Twitter', 'Conversation')
export const xReply = item('Twitter', 'Reply')
export const xMention = item('Twitter', 'Mention')
export const youTubeComment = item('YouTube', 'Post')
export const tikTokMessage = item('TikTok', 'Conversation')
export const tikTokComment = item('TikTok', 'Post')
