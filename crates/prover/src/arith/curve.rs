//! Affine points with open coordinates, and the trait that ties them to the types of `blstrs`.

use blst::{blst_fp, blst_fp2, blst_p1_affine, blst_p2_affine};
use blstrs::{G1Affine, G2Affine, Scalar};
use group::prime::PrimeCurveAffine;

use super::Coordinate;

/// A point of a short Weierstrass curve with a = 0, in affine coordinates; the identity is `(0, 0)`, as in blst.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
#[repr(C)]
pub struct Affine<F> {
    /// The x coordinate.
    pub x: F,
    /// The y coordinate.
    pub y: F,
}

impl<F: Coordinate> Affine<F> {
    /// Whether this is the point at infinity.
    #[inline(always)]
    pub fn is_identity(&self) -> bool {
        self.x.is_zero() && self.y.is_zero()
    }

    /// `-self` when `negative` holds, otherwise `self`; takes the same time either way.
    #[inline(always)]
    #[must_use]
    pub fn negated_if(&self, negative: bool) -> Self {
        Self { x: self.x, y: self.y.negated_if(negative) }
    }
}

/// A group that the kernels work in: [`G1Affine`] or [`G2Affine`].
pub trait CurveAffine: PrimeCurveAffine<Scalar = Scalar> {
    /// The field of this curve's coordinates.
    type Coordinate: Coordinate;

    /// The same points with open coordinates.
    fn points(points: &[Self]) -> &[Affine<Self::Coordinate>];

    /// The same points with open coordinates, to be written. What is written must be points of the curve.
    fn points_mut(points: &mut [Self]) -> &mut [Affine<Self::Coordinate>];

    /// Closes the coordinates of one point.
    fn from_point(point: Affine<Self::Coordinate>) -> Self {
        let mut out = [Self::identity()];
        Self::points_mut(&mut out)[0] = point;
        out[0]
    }
}

/// Implements [`CurveAffine`] for a type of `blstrs`, having checked what the casts rely on.
macro_rules! open_curve {
    ($curve:ty, $blst:ty, $coordinate:ty) => {
        const _: () = {
            assert!(size_of::<$curve>() == size_of::<$blst>());
            assert!(align_of::<$curve>() == align_of::<$blst>());
            assert!(size_of::<$blst>() == size_of::<Affine<$coordinate>>());
            assert!(align_of::<$blst>() == align_of::<Affine<$coordinate>>());
            assert!(std::mem::offset_of!($blst, x) == std::mem::offset_of!(Affine<$coordinate>, x));
            assert!(std::mem::offset_of!($blst, y) == std::mem::offset_of!(Affine<$coordinate>, y));
        };

        impl CurveAffine for $curve {
            type Coordinate = $coordinate;

            #[inline(always)]
            fn points(points: &[Self]) -> &[Affine<$coordinate>] {
                // SAFETY: the blstrs type is repr(transparent) over blst's, which is repr(C) with the fields x and y, as
                // `Affine` is; sizes, alignments and offsets are asserted above, and every bit pattern is valid.
                unsafe { std::slice::from_raw_parts(points.as_ptr().cast(), points.len()) }
            }

            #[inline(always)]
            fn points_mut(points: &mut [Self]) -> &mut [Affine<$coordinate>] {
                // SAFETY: as in `points`; the borrow is exclusive.
                unsafe { std::slice::from_raw_parts_mut(points.as_mut_ptr().cast(), points.len()) }
            }
        }
    };
}

open_curve!(G1Affine, blst_p1_affine, blst_fp);
open_curve!(G2Affine, blst_p2_affine, blst_fp2);

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip<C: CurveAffine>() {
        let points = [C::identity(), C::generator(), -C::generator()];
        let open = C::points(&points);
        assert!(open[0].is_identity() && !open[1].is_identity());
        assert!(open[1].negated_if(true) == open[2] && open[1].negated_if(false) == open[1]);
        assert!(open[0].negated_if(true).is_identity());
        for (point, open) in points.iter().zip(open) {
            assert_eq!(C::from_point(*open), *point);
        }
    }

    #[test]
    fn opening_and_closing_points_changes_nothing() {
        let _limit = cuzk_testing::TimeLimit::seconds(10);
        round_trip::<G1Affine>();
        round_trip::<G2Affine>();
        let generator = G1Affine::generator();
        let open = <G1Affine as CurveAffine>::points(std::slice::from_ref(&generator))[0];
        assert_eq!((open.x, open.y), (generator.x().into(), generator.y().into()));
    }
}
