import { Dialog } from '../../../ui/layers/dialog.tsx'
import { type Asset, isImage } from './asset.ts'

/** An asset as large as it fits. A document is shown by the browser that saves it. */
export const Looking = ({ asset, onClose }: { asset: Asset; onClose: () => void }) => (
  <Dialog title={asset.Name} onClose={onClose} className="looking">
    {isImage(asset) && <img src={asset.Address} alt={asset.Description} />}
    {asset.Type === 'Video' && (
      // biome-ignore lint/a11y/useMediaCaption: it is somebody's own film, as it is
      <video src={asset.Address} controls preload="metadata" />
    )}
    {asset.Type === 'PDF' && (
      <p>
        <a href={asset.Address} download={asset.Name}>
          {asset.Name}
        </a>
      </p>
    )}
  </Dialog>
)
