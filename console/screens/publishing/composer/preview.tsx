import { memo, type ReactNode, useState } from 'react'
import { manifestOf, type Network } from '#networks/manifests.ts'
import { Face } from '../../../ui/face.tsx'
import { Icon } from '../../../ui/icons.tsx'
import { NetworkMark, networkName } from '../../../ui/network-mark.tsx'
import { words } from '../../../words/words.ts'
import { type Attached, type Card, isImage, type Profile, pictureOf } from './composition.ts'
import { Coloured } from './editor.tsx'
import { firstAddress, useLinkPreview, useShortLinks } from './links.ts'

/** After how many signs each network folds a text. */
const folds: { readonly [network in Network]: number } = {
  ...{ Facebook: 480, Instagram: 125, LinkedIn: 210, Twitter: 280, YouTube: 160, TikTok: 100 },
}

interface PreviewProps {
  network: Network
  profile: Profile
  text: string
  title: string
  media: readonly Attached[]
  card: Card | null
  comment: string
  problems: readonly string[]
}

/** How it will read there: names, line breaks, the fold, short links, pictures; not a copy of the network's looks. */
export const Preview = memo((props: PreviewProps) => {
  const { network, profile, text, title, media, card, comment, problems } = props
  const shown = <Shown {...{ network, media, text, card }} />
  const said = <Said {...{ network, text }} />
  const { limits } = manifestOf(network)
  return (
    <article className="preview" aria-label={words.composer.previewOn(networkName(network))}>
      <header className="preview-head">
        <Picture profile={profile} />
        <span className="preview-names">
          <strong dir="auto">{profile.DisplayName}</strong>
          <small dir="auto">{network === 'Twitter' ? `@${profile.NetworkUsername}` : networkName(network)}</small>
        </span>
        <NetworkMark network={network} label />
      </header>
      {limits.needsMedia ? (
        <>
          {shown}
          {title && limits.title && (
            <p className="preview-title" dir="auto">
              {title}
            </p>
          )}
          {said}
        </>
      ) : (
        <>
          {said}
          {shown}
        </>
      )}
      {comment && (
        <p className="preview-comment" dir="auto">
          <span className="quiet">{words.composer.firstComment}</span>
          <br />
          {comment}
        </p>
      )}
      {problems.length > 0 && (
        <ul className="preview-problems">
          {problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
    </article>
  )
})

function Said({ network, text }: { network: Network; text: string }) {
  const [isWhole, setIsWhole] = useState(false)
  const short = useShortLinks()
  const fold = folds[network]
  const isFolded = text.length > fold && !isWhole
  return (
    <p className="preview-said" dir="auto">
      {text ? (
        <Coloured text={isFolded ? text.slice(0, fold).trimEnd() : text} shown={short} />
      ) : (
        <span className="quiet">{words.composer.nothingWritten}</span>
      )}
      {isFolded && (
        <>
          …{' '}
          <button type="button" className="preview-more" onClick={() => setIsWhole(true)}>
            {words.composer.more}
          </button>
        </>
      )}
    </p>
  )
}

/** Pictures, a film, a document, or what is known of the page that the text leads to. */
function Shown({ network, media, text, card }: Pick<PreviewProps, 'network' | 'media' | 'text' | 'card'>): ReactNode {
  const { limits, capabilities } = manifestOf(network)
  const url = media.length === 0 && capabilities.link !== 'no' ? firstAddress(text) : ''
  const page = useLinkPreview(card ? '' : url)
  if (media.length > 0) {
    const seen = media.slice(0, 4)
    return (
      <ul className="preview-media" data-count={seen.length}>
        {seen.map((file, index) => (
          <li key={file.Id}>
            {isImage(file) ? (
              <img src={pictureOf(file)} alt={file.Description} />
            ) : (
              <span className="preview-file">
                <Icon name={file.Type === 'Video' ? 'film' : 'document'} />
                <span dir="auto">{file.Name}</span>
              </span>
            )}
            {index === 3 && media.length > 4 && <span className="preview-rest">+{media.length - 4}</span>}
          </li>
        ))}
      </ul>
    )
  }
  if (limits.needsMedia)
    return <p className="preview-hole">{limits.images.max > 0 ? words.composer.mediaHere : words.composer.videoHere}</p>
  if (card) return <LinkCard url={card.url} title={card.title} description={card.description} />
  if (page?.Title) return <LinkCard url={page.Url} title={page.Title} description={page.Description} />
  return null
}

const LinkCard = ({ url, title, description }: { url: string; title: string; description: string }) => (
  <div className="preview-card">
    <small>{hostOf(url)}</small>
    <strong dir="auto">{title}</strong>
    {description && <span dir="auto">{description}</span>}
  </div>
)

function hostOf(url: string): string {
  try {
    return new URL(url).host
  } catch {
    return url
  }
}

function Picture({ profile: { Id, DisplayName, HasPicture } }: { profile: Profile }) {
  const [isThere, setIsThere] = useState(HasPicture === 1)
  return isThere ? (
    <img
      className="face"
      src={`/app/api/picture/profile/${encodeURIComponent(Id)}`}
      alt=""
      onError={() => setIsThere(false)}
    />
  ) : (
    <Face name={DisplayName} />
  )
}
