import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { withoutTrailing } from '../../text-parts.ts'
import type { ArrivalAt, Entry, Guard, IdentifiedRequest } from '../auth/guard.ts'

type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE'

interface Route<At extends Entry> {
  readonly method: Method | Method[]
  /** Path as in the contract: `/team/{id}`. */
  readonly path: string
  readonly entry: At
  readonly run: (arrival: ArrivalAt<At>) => Promise<unknown>
  /** Responds to refused requests, if not in the API's format. */
  readonly refused?: (error: unknown, request: FastifyRequest, reply: FastifyReply) => unknown
}

/** The only way to add a route: no handler runs and no body is read before the guard admits the request. */
export function addRoute<At extends Entry>(server: FastifyInstance, gate: Guard, route: Route<At>) {
  const { method, path, entry, run, refused } = route
  const url = path.replace(/\{(\w+)\}/g, ':$1')
  const handle = (request: IdentifiedRequest, reply: FastifyReply): Promise<unknown> => {
    request.routePath = url
    const entering = gate.enter(request, reply, entry)
    return entering instanceof Promise ? entering.then(run) : run(entering)
  }
  const handleOr = (answer: NonNullable<typeof refused>) => async (request: FastifyRequest, reply: FastifyReply) => {
    try {
      return await handle(request, reply)
    } catch (error) {
      return answer(error, request, reply)
    }
  }
  server.route({
    method,
    url,
    handler: refused ? handleOr(refused) : handle,
  })
}

interface RouteKey {
  readonly method: string
  readonly base: string
  readonly path: string
}

/** All paths of an endpoint: the documented one and former ones. */
export const addressesOf = <Any extends RouteKey & { readonly formerPaths?: readonly string[] }>({
  method,
  base,
  path,
  formerPaths = [],
}: Any): Pick<Any, 'method' | 'base' | 'path'>[] => [path, ...formerPaths].map((at) => ({ method, base, path: at }))

/** The methods available at this URL; empty if the path is unknown. A literal path is never also treated as an id. */
export function methodsAt(routes: readonly RouteKey[], url: string): string[] {
  const parts = withoutTrailing(url.split('?', 1)[0] ?? '', '/').split('/')
  const matching = routes.filter((route) => matchesPath(partsOf(route), parts))
  const literal = matching.filter(isLiteral)
  return [...new Set((literal.length > 0 ? literal : matching).map(({ method }) => method))]
}

/** Methods of literal paths that would match an id pattern with another method: `GET /advocate/bulk`. */
export function shadowedMethods<Any extends RouteKey>(
  routes: readonly Any[],
): { method: Any['method']; path: string }[] {
  const patterns = routes.filter((route) => !isLiteral(route))
  const addresses = new Set(routes.filter(isLiteral).map(({ base, path }) => base + path))
  return [...addresses].flatMap((address) => {
    const verbs = new Set(methodsAt(routes, address))
    const parts = address.split('/')
    const matching = patterns.filter((route) => matchesPath(partsOf(route), parts))
    const methods = new Set(matching.map(({ method }) => method).filter((method) => !verbs.has(method)))
    return [...methods].map((method) => ({ method, path: address }))
  })
}

const isLiteral = ({ path }: RouteKey) => !path.includes('{')

const matchesPath = (wanted: readonly string[], given: readonly string[]) =>
  wanted.length === given.length &&
  wanted.every((part, index) => (part.startsWith('{') ? given[index] !== '' : part === given[index]))

const known = new WeakMap<RouteKey, readonly string[]>()

function partsOf(route: RouteKey): readonly string[] {
  let parts = known.get(route)
  if (!parts) {
    parts = (route.base + route.path).split('/')
    known.set(route, parts)
  }
  return parts
}
