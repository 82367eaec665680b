import { createHmac } from 'node:crypto'
import { apps } from '../manifests.ts'
import type { Item, Profile } from '../state/rows.ts'
import type { SandboxState } from '../state/state.ts'

/** Pushes the action of another user to the app; likes are not pushed. */
export function tiktokPush(state: SandboxState, owner: Profile, item: Item) {
  if (item.kind === 'message') pushMessage(state, owner, item)
  else if (item.kind === 'mention') {
    send(state, owner, 'BRAND_MENTION', 'brand.mention.event', mentionOf(owner, item))
  } else if (item.kind === 'comment' && !item.updatedAt) {
    send(state, owner, 'COMMENT', 'comment.update', {
      comment_id: item.id,
      video_id: item.postId,
      parent_comment_id: item.parentId === item.postId ? '' : item.parentId,
      comment_type: item.parentId === item.postId ? 'comment' : 'reply',
      comment_action: item.removedAt ? 'delete' : 'insert',
      timestamp: item.at,
      unique_identifier: item.from.id,
      username: item.from.username,
      text: item.text,
    })
  }
}

/** A mention is in the caption of a video or in a comment. */
function mentionOf(owner: Profile, item: Item) {
  return {
    type_of_event: 'CREATE',
    mention_type: item.postId === undefined ? 'VIDEO_MENTION' : 'COMMENT',
    video_id: item.postId ?? item.id,
    comment_id: item.postId === undefined ? '0' : item.id,
    video_create_time: Math.floor(item.at / 1000),
    open_id_of_mentioned_user: owner.id,
    unique_name_of_mentioned_user: owner.username,
    unique_identifier: item.from.id,
    share_url: `https://www.tiktok.com/@${item.from.username}/video/${item.postId ?? item.id}`,
    video_caption: item.text,
  }
}

export function pushMessage(state: SandboxState, owner: Profile, item: Item) {
  send(state, owner, 'DIRECT_MESSAGE', item.own ? 'im_send_msg' : 'im_receive_msg', {
    message_id: item.id,
    conversation_id: item.threadId,
    type: 'text',
    text: { body: item.text },
    from: item.from.username,
    from_user: { id: item.from.id, display_name: item.from.name },
    timestamp: item.at,
  })
}

export function pushPublished(state: SandboxState, owner: Profile, post: Item, publishId: string) {
  const content = { publish_id: publishId, publish_type: 'DIRECT_PUBLISH', post_id: post.id }
  send(state, owner, 'VIDEO', 'post.publish.complete', content)
}

/** The content is JSON-encoded text, and the signature includes a timestamp. */
function send(state: SandboxState, owner: Profile, subscription: string, event: string, content: unknown) {
  const callback = state.subscriptions.get(`TikTok:${subscription}`)?.callback
  if (!callback) return
  const seconds = () => Math.floor(state.clock.now() / 1000)
  state.push.send({
    network: 'TikTok',
    profile: owner.id,
    url: callback,
    type: 'application/json',
    body: JSON.stringify({
      client_key: apps.TikTok.id,
      event,
      create_time: seconds(),
      user_openid: owner.id,
      content: JSON.stringify(content),
    }),
    sign: (body) => {
      const time = seconds()
      const hex = createHmac('sha256', apps.TikTok.secret).update(`${time}.${body}`).digest('hex')
      return { 'tiktok-signature': `t=${time},s=${hex}` }
    },
  })
}
