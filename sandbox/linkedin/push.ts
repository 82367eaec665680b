import { createHmac } from 'node:crypto'
import { apps } from '../manifests.ts'
import type { Item, Profile } from '../state/rows.ts'
import type { SandboxState } from '../state/state.ts'
import { urnOf } from './protocol.ts'

/** The event types. `MESSAGE` is specific to this sandbox: LinkedIn does not publish the format of message events. */
export const socialActions = 'ORGANIZATION_SOCIAL_ACTION_NOTIFICATIONS'
const actionNames: Partial<Record<Item['kind'], string>> = {
  comment: 'COMMENT',
  mention: 'SHARE_MENTION',
  like: 'LIKE',
  message: 'MESSAGE',
  share: 'SHARE',
}

/** Edits, deletions and own comments have separate action names. */
const actionOf = (item: Item) =>
  item.removedAt ? 'COMMENT_DELETE' : item.updatedAt ? 'COMMENT_EDIT' : item.own ? 'ADMIN_COMMENT' : undefined

/** Pushes the action of another user to the subscriber of a page; members have no pushes. */
export function linkedinPush(state: SandboxState, page: Profile, item: Item) {
  const subscription = state.subscriptions.get(`LinkedIn:${page.id}`)
  if (!subscription?.callback || page.kind === 'member' || item.kind === 'post') return
  state.push.send({
    network: 'LinkedIn',
    profile: page.id,
    url: subscription.callback,
    type: 'application/json',
    body: JSON.stringify({ type: socialActions, notifications: [notification(state, page, item, actionOf(item))] }),
    sign: (body) => ({ 'x-li-signature': signature(`hmacsha256=${body}`) }),
  })
}

export function signature(text: string): string {
  return createHmac('sha256', apps.LinkedIn.secret).update(text).digest('hex')
}

/** One event, in the same format when pushed and when polled. */
export function notification(state: SandboxState, page: Profile, item: Item, action?: string) {
  const post = item.postId === undefined ? item : (state.items.get(`LinkedIn:${item.postId}`) ?? item)
  const owner = item.own ? urnOf(page) : `urn:li:person:${item.from.id}`
  return {
    notificationId: Number(/(\d{1,15})\)?$/.exec(item.id)?.[1] ?? item.at),
    organizationalEntity: urnOf(page),
    action: action ?? (item.own ? 'ADMIN_COMMENT' : actionNames[item.kind]) ?? 'COMMENT',
    sourcePost: post.id,
    decoratedSourcePost: { entity: post.id, owner: post === item ? owner : urnOf(page), text: post.text },
    generatedActivity: item.id,
    decoratedGeneratedActivity: {
      [item.kind === 'like'
        ? 'like'
        : item.kind === 'message'
          ? 'message'
          : item.kind === 'mention' || item.kind === 'share'
            ? 'share'
            : 'comment']: {
        entity: item.id,
        owner,
        text: item.text,
        ...(item.parentId === item.postId ? {} : { parentComment: item.parentId }),
        ...(item.threadId ? { thread: item.threadId } : {}),
      },
    },
    lastModifiedAt: action ? (item.removedAt ?? item.updatedAt ?? item.at) : item.at,
    subscriber: `urn:li:person:${page.account}`,
  }
}
