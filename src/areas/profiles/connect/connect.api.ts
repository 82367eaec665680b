import { z } from 'zod'
import type { Context } from '#kernel/context.ts'
import { appEndpoint } from '#kernel/http/route/endpoint.ts'
import { choice, flag, listOf, shape, text } from '#kernel/wire/fields.ts'
import * as params from '#kernel/wire/params.ts'
import { list, parts } from '#kernel/wire/replies.ts'
import { connectedNetworks, networkNames } from '#networks/manifests.ts'
import { profileIds } from '../declarations.ts'
import { findOffer } from './attempt.ts'
import { appSettings, keepChosen } from './connect.ts'

const ConnectableNetwork = shape('ConnectableNetwork', {
  Network: choice(networkNames),
  HasApp: flag,
  Settings: listOf(text),
  Path: text,
})
const OfferedProfile = shape('OfferedProfile', { RemoteId: text, Name: text, Username: text, Kind: text })
const ConnectedProfile = shape('ConnectedProfile', { Id: text, Name: text, Username: text })

const id = z.object({ id: params.pathId(profileIds.connectOffer) })
const choiceOf = id.extend({ remoteIds: params.lineList({ max: 500 }) })

export const endpoints = [
  appEndpoint('GET /network', {
    summary: 'List the networks that can be connected and their missing settings',
    needs: 'read',
    params: z.object({}),
    reply: list(ConnectableNetwork),
    run: networks,
  }),
  appEndpoint('GET /connect-offer/{id}', {
    operationId: 'getConnectOffer',
    summary: 'List the profiles that a login at a network offers',
    needs: 'administer',
    params: id,
    reply: parts({ Network: text, Items: listOf(OfferedProfile) }),
    run: findOffer,
  }),
  appEndpoint('POST /connect-offer/{id}', {
    operationId: 'acceptConnectOffer',
    summary: 'Connect selected profiles of a login; the others are discarded',
    needs: 'administer',
    params: choiceOf,
    reply: parts({ Items: listOf(ConnectedProfile) }),
    run: async (context, { id: offer, remoteIds }) => {
      await findOffer(context, { id: offer })
      return { items: await keepChosen(context, offer, remoteIds, { boardOnly: false }) }
    },
  }),
]

/** The browser navigates to the path and returns to the console. */
async function networks({ appOptions }: Context) {
  const items = connectedNetworks.map((network) => {
    const hasApp = appOptions(network) !== undefined
    const settings = hasApp ? [] : appSettings(network)
    return { network, hasApp, settings, path: `/app/connect/${network}?console=1` }
  })
  return { items, total: items.length }
}
