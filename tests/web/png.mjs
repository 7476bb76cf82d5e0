// Small PNGs of screenshots: at most 256 colours, which is what drawings and text need.

import { deflateSync } from "node:zlib";

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

function crc(bytes) {
  let value = 0xffffffff;
  for (const byte of bytes) value = TABLE[(value ^ byte) & 0xff] ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.length, 0);
  ends.writeUInt32BE(crc(body), 4);
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
}

/** A PNG of pixels with four bytes each: the most frequent colours stay, others become the nearest of them. */
export function small({ width, height, data }) {
  const counts = new Map();
  const colour = (at) => (data[at] << 16) | (data[at + 1] << 8) | data[at + 2];
  for (let at = 0; at < data.length; at += 4) counts.set(colour(at), (counts.get(colour(at)) ?? 0) + 1);
  const palette = [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, 256).map(([value]) => value);
  const places = new Map(palette.map((value, place) => [value, place]));
  const nearest = (value) => {
    let best = 0;
    let least = Infinity;
    palette.forEach((other, place) => {
      const distance = [16, 8, 0].reduce((sum, shift) => sum + (((value >> shift) & 255) - ((other >> shift) & 255)) ** 2, 0);
      if (distance < least) [best, least] = [place, distance];
    });
    places.set(value, best);
    return best;
  };
  const rows = Buffer.alloc(height * (width + 1));
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const value = colour(4 * (y * width + x));
      rows[y * (width + 1) + 1 + x] = places.get(value) ?? nearest(value);
    }
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  // Eight bits for each pixel, which name a colour of the palette.
  head.set([8, 3, 0, 0, 0], 8);
  const colours = Buffer.from(palette.flatMap((value) => [value >> 16, (value >> 8) & 255, value & 255]));
  return Buffer.concat([SIGNATURE, chunk("IHDR", head), chunk("PLTE", colours), chunk("IDAT", deflateSync(rows, { level: 9 })), chunk("IEND", Buffer.alloc(0))]);
}
