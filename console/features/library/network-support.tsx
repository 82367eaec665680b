import { checkPost } from '#networks/content/content-check.ts'
import { texts } from '@/i18n/texts.ts'
import { NetworkIcon, networkName, networks } from '@/ui/badges.tsx'
import { Icon } from '@/ui/icons.tsx'
import * as layoutStyles from '@/ui/layout.module.css'
import { type Asset, isImage } from './asset-grid.tsx'
import * as styles from './library.module.css'

/** Networks that accept the file, by the server's own rules. */
export function NetworkSupport({ asset }: { asset: Asset }) {
  return (
    <section>
      <h3 className={layoutStyles.panelTitle}>{texts.library.facts.takenBy}</h3>
      <ul className={styles.networkSupport}>
        {networks.map((network) => {
          const problems = problemsOn(network, asset)
          return (
            <li key={network} data-refused={problems.length > 0 || undefined}>
              <NetworkIcon network={network} />
              <Icon name={problems.length > 0 ? 'cross' : 'check'} />
              <span>
                {problems.length > 0
                  ? `${texts.library.refuses(networkName(network))} ${problems[0]}`
                  : texts.library.takes(networkName(network))}
              </span>
            </li>
          )
        })}
      </ul>
    </section>
  )
}

/** Uses a valid text and title, so that any remaining errors are about the file. */
function problemsOn(network: (typeof networks)[number], asset: Asset): string[] {
  const { Type, Name, MimeType, Size, Width, Height, DurationMs, FramesPerSecond, VideoCodec, AudioCodec } = asset
  const media = {
    type: Type,
    name: Name,
    mime: MimeType,
    bytes: Size,
    width: Width ?? undefined,
    height: Height ?? undefined,
    seconds: DurationMs === null ? undefined : DurationMs / 1000,
    framesPerSecond: FramesPerSecond ?? undefined,
    videoCodec: VideoCodec ?? undefined,
    audioCodec: AudioCodec ?? undefined,
    pages: asset.Pages ?? undefined,
    frames: asset.Frames ?? undefined,
    isFinal: isImage(asset) ? undefined : true,
  }
  return checkPost(network, { text: 'Words', title: 'Title', media: [media] }).map(({ sentence }) => sentence)
}
